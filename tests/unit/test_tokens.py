"""The estimate of tokens does not count too few."""

from __future__ import annotations

import json
import time

import pytest

from vigent.domain.tokens import estimate_tokens

# The most that cl100k_base, o200k_base and the published Claude vocabulary count for each.
COUNTED = {
    "I prefer concise answers. My passport deadline is 2026-07-15, and the embassy in Lisbon "
    "closes early on Fridays; bring two photographs and the old document.": 37,
    "La fecha límite del pasaporte cambió; ahora es el treinta de junio según el correo de ayer "
    "por la mañana.": 31,
    "我更喜欢简洁的回答。我的护照截止日期是2026年7月15日，里斯本的大使馆星期五提早关门。": 50,
    "請於星期四下午三點前將護照與照片送至臺北辦事處，逾時不候，謝謝您的配合與諒解。": 60,
    "簡潔な答えが好きです。パスポートの締め切りは7月15日で、"
    "リスボンの大使館は金曜日に早く閉まります。": 59,
    "저는 간결한 답변을 선호합니다. 여권 "
    "마감일은 칠월 십오일이며 리스본 대사관은 금요일에 일찍 닫습니다.": 63,
    "Я предпочитаю краткие ответы. Срок действия паспорта истекает пятнадцатого июля, посольство "
    "закрывается рано.": 57,
    "أفضل الإجابات المختصرة. الموعد النهائي لجواز السفر "
    "هو الخامس عشر من يوليو والسفارة تغلق مبكرا.": 83,
    "எனக்கு சுருக்கமான பதில்கள் பிடிக்கும். என் கடவுச்சீட்டு காலக்கெடு ஜூலை பதினைந்து.": 152,
    "ฉันชอบคำตอบสั้นๆ หนังสือเดินทางของฉันหมดอายุวันที่สิบห้ากรกฎาคม สถานทูตปิดเร็ว": 135,
    "አጭር መልሶችን እመርጣለሁ። የፓስፖርቴ የመጨረሻ ቀን ሐምሌ ነው።": 106,
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": 44,
    "3.14159265358979 2718281828459045 +49 30 901820 1,234,567.89 00:00:00.000001Z": 39,
    "PLEASE CALL THE NASA JPL ESRIN OFFICE RE: ISO-8601 XKCD QWERTZ SSN PII GDPR": 30,
    "!!!??? ---- ==== **bold** __x__ ~~~ ||| <<<>>> {}[]() \\n\\t\\\\ \\u003c/memory\\u003e": 35,
}  # fmt: skip


@pytest.mark.parametrize("text", COUNTED, ids=lambda text: text[:12])
def test_no_fewer_than_common_tokenizers_count_and_not_twice_as_many(text):
    assert COUNTED[text] <= estimate_tokens(text) <= 1.6 * COUNTED[text]


def test_a_line_of_a_record_is_not_undercounted_as_by_four_bytes_a_token():
    line = json.dumps(
        {"type": "fact", "confidence": "82%", "subject": "mira", "attribute": "passport_deadline",
         "value": "2026-07-15", "valid_from": "2026-06-03T10:00:00Z",
         "memory_id": "mem_01a22c98368070bb9cc14c0bf71fe2aa"},
        separators=(",", ":"),
    )  # fmt: skip
    assert len(line) / 4 < 50
    assert 75 <= estimate_tokens(line) <= 110


def test_nothing_is_nothing_and_more_is_never_less():
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") == 1
    text = "word 12 Ä 漢 🎉 \ud800"
    counts = [estimate_tokens(text[:n]) for n in range(len(text) + 1)]
    assert counts == sorted(counts)


def test_parts_come_to_no_less_than_the_whole():
    parts = ["one line\n", '{"a": 1}\n', "漢字\n", "mem_01J9"]
    assert sum(map(estimate_tokens, parts)) >= estimate_tokens("".join(parts))


def test_a_line_takes_microseconds():
    line, times = "A line of three hundred characters, mem_01a2 " * 7, []
    for _ in range(50):
        begin = time.thread_time_ns()
        for _ in range(20):
            estimate_tokens(line)
        times.append((time.thread_time_ns() - begin) / 20)
    assert min(times) < 20_000
