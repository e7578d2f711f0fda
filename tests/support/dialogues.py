"""Two tiny dialogues in the form of LoCoMo, with questions whose answers can be counted by hand."""

import json
from typing import Any

SAILING: dict[str, Any] = {
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Which colour did you paint the boat?"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "It is blue now.", "blip_caption": "a boat on a trailer"},
        ],
        "session_2_date_time": "some day",
        "session_2": [
            {"speaker": "Ann", "dia_id": "D2:1", "text": "We won the regatta with a broken mast."},
            {"speaker": "Ben", "dia_id": "D2:2", "text": "The prize was a golden compass."},
        ],
    },
    "qa": [
        {"question": "What colour is Ben's boat?", "evidence": ["D1:2", "D9:9"], "category": 4},
        {"question": "What did they win with a broken mast?", "evidence": ["D2:1; D2:2"], "category": 1},
        {"question": "Is there anything else?", "evidence": [], "category": 5},
        {"question": "And what is not answered?", "evidence": ["D7:1"], "category": 5},
    ],
}
BAKING: dict[str, Any] = {
    "conversation": {
        "session_1_date_time": "9:05 am on 1 June, 2023",
        "session_1": [
            {"speaker": "Cem", "dia_id": "D1:1", "text": "My sourdough starter is called Ferdinand."},
            {"speaker": "Dora", "dia_id": "D1:2", "text": "Mine died when the oven caught fire."},
        ],
    },
    "qa": [{"question": "What is Cem's sourdough starter called?", "evidence": ["D1:1"], "category": 4}],
}


def document() -> str:
    return json.dumps([SAILING, BAKING])
