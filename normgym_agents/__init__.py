"""A gym for normative competence: does a newcomer agent pick up a community's unwritten rules?"""
