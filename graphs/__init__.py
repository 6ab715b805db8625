"""LangGraph graphs to open in LangGraph Studio or to drop in; `langgraph.json` points here."""
