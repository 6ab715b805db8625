"""Every span name and attribute key, the standard ones apart from ours.

The strings are written out here because the GenAI conventions have left the main semantic-conventions
repository: all of them are in development, and the constants of the Python package are deprecated. One
module holds them, so that following a newer version is one diff.

Followed: OpenTelemetry GenAI semantic conventions v0.1.0 (the keys used here are unchanged since semantic
conventions v1.41.0, the last release that held them) and the OpenInference attributes, which several
observability tools read instead. Both are written.
"""

from __future__ import annotations

from typing import Final

GENAI_CONVENTIONS: Final = "opentelemetry/semantic-conventions-genai v0.1.0"

# -- OpenTelemetry: general ---------------------------------------------------------------------------
ERROR_TYPE: Final = "error.type"

# -- OpenTelemetry: GenAI -----------------------------------------------------------------------------
GEN_AI_OPERATION_NAME: Final = "gen_ai.operation.name"
GEN_AI_AGENT_NAME: Final = "gen_ai.agent.name"
GEN_AI_CONVERSATION_ID: Final = "gen_ai.conversation.id"
GEN_AI_EVALUATION_NAME: Final = "gen_ai.evaluation.name"
GEN_AI_EVALUATION_SCORE_VALUE: Final = "gen_ai.evaluation.score.value"
GEN_AI_EVALUATION_SCORE_LABEL: Final = "gen_ai.evaluation.score.label"

OPERATION_INVOKE_AGENT: Final = "invoke_agent"
EVENT_EVALUATION_RESULT: Final = "gen_ai.evaluation.result"

# -- OpenInference ------------------------------------------------------------------------------------
OPENINFERENCE_SPAN_KIND: Final = "openinference.span.kind"
KIND_CHAIN: Final = "CHAIN"
KIND_AGENT: Final = "AGENT"
KIND_EVALUATOR: Final = "EVALUATOR"
OI_AGENT_NAME: Final = "agent.name"
SESSION_ID: Final = "session.id"
INPUT_VALUE: Final = "input.value"
INPUT_MIME_TYPE: Final = "input.mime_type"
OUTPUT_VALUE: Final = "output.value"
OUTPUT_MIME_TYPE: Final = "output.mime_type"
MIME_TEXT: Final = "text/plain"

# -- Ours: span and event names -----------------------------------------------------------------------
SCOPE: Final = "normgym_agents"
SPAN_EPISODE: Final = "episode"
SPAN_ROUND: Final = "round"
SPAN_REPORT: Final = "report"
SPAN_ADJUDICATION: Final = "adjudication"
EVENT_SANCTION: Final = "normgym.sanction"

# -- Ours: attributes ---------------------------------------------------------------------------------
WORLD: Final = "normgym.world"
CONDITION: Final = "normgym.condition"
TRIAL: Final = "normgym.trial"
NEWCOMER: Final = "normgym.newcomer"
OUTCOME: Final = "normgym.outcome"
PHASE: Final = "normgym.phase"
DAY: Final = "normgym.day"
ROUND: Final = "normgym.round"
ACTOR: Final = "normgym.actor"
VERDICT: Final = "normgym.verdict"
NORM_LABEL: Final = "normgym.norm.label"
NORM_KIND: Final = "normgym.norm.kind"
SANCTION_KIND: Final = "normgym.sanction.kind"
SANCTION_BY: Final = "normgym.sanction.by"
SANCTION_TO: Final = "normgym.sanction.to"


def invoke_agent(name: str) -> str:
    """The span name of one turn of the agent called `name`."""
    return f"{OPERATION_INVOKE_AGENT} {name}"
