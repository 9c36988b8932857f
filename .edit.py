import re
p='src/vigent/write/reconcile.py'; s=open(p).read()
def sub(a,b,n=1):
    global s
    assert s.count(a)>=1,a
    s=s.replace(a,b) if n==0 else s.replace(a,b,n)
sub('''        return 0 if draft.confidence is None else int(draft.confidence * 1_000_000) + 1
    return 0
''','''        confidence = draft.confidence
        if draft.retract and draft.trust_rank >= APPLICATION:
            confidence = 1.0  # a retraction states none: it has what a write of its source would
        return 0 if confidence is None else int(confidence * 1_000_000) + 1
    return 0
''')
a=s.index('def _after_ties'); b=s.index('def _standing_at')
s=s[:a]+'''def _after_ties(
    work: Work, statement: Statement, folds: list[Refolded]
) -> tuple[Statement, list[Refolded]]:
    """Where the latest stands, put a statement behind those another policy once placed."""
    policy = work.definition.conflict if work.definition is not None else "latest"
    if policy in ("most_trusted", "most_confident"):
        return statement, folds
    start = statement.valid_from
    tied = (s.place for f in folds for s in f.statements.values() if s.valid_from == start)
    place = max(tied, default=0)
    if place <= statement.place:
        return statement, folds
    moved = edited(statement, place=place)
    return moved, [work.refold(folded.member, [moved]) for folded in folds]


'''+s[b:]
sub('''    statement, folded = _after_ties(work, statement, folded)
''','''    statement, (folded,) = _after_ties(work, statement, [folded])
''')
a=s.index('        speaker=dated.speaker,\n    )  # fmt: skip\n    work.new[statement.no] = statement\n    ended:'); b=s.index('    finish(work)',a)
s=s[:a]+'''        speaker=dated.speaker, place=place_of(work, draft),
    )  # fmt: skip
    folds = [work.refold(name, [statement]) for name in members]
    statement, folds = _after_ties(work, statement, folds)
    work.new[statement.no] = statement
    ended: list[tuple[Refolded, int]] = []
    for folded in folds:
        lost = work.lost(folded, None)
        tied = _tied(work, folded, statement)
        too_low = _too_low(work, draft, folded, [*lost, *tied])
        if too_low is not None:
            work.new.clear()
            work.folds.clear()
            return hold(work, draft, dated, member, too_low)
        work.take(folded)
        ended += [(folded, m) for m in lost]
'''+s[b:]
sub('''def replace(work''','''def _tied(work: Work, folded: Refolded, ending: Statement) -> list[int]:
    """Give what stands from the instant of a statement that ends it, also where it wins the tie."""
    there = _standing_at(work, folded, ending.valid_from, ending)
    if there is None or there.valid_from != ending.valid_from:
        return []
    return [there.no] if ending.kind != "end" or there.token == ending.token else []


def replace(work''')
# replace: places
a=s.index('def replace(work')
h,t=s[:a],s[a:]
t=t.replace('''keep=" ".join(t.hex() for t in keep),
    )''','''keep=" ".join(t.hex() for t in keep),
        place=place_of(work, draft),
    )''')
t=t.replace('''    work.new[others.no] = others
    ended:''','''    dropped = [m for m in _members(work, dated.start) if m not in keep]
    folds = [work.refold(member, [others]) for member in dropped]
    others, folds = _after_ties(work, others, folds)
    work.new[others.no] = others
    ended:''')
t=t.replace('''            basis=dated.basis, speaker=dated.speaker,
        )  # fmt: skip
        folded = work.refold(member, [statement])
        work.take''','''            basis=dated.basis, speaker=dated.speaker, place=place_of(work, draft),
        )  # fmt: skip
        statement, (folded,) = _after_ties(work, statement, [work.refold(member, [statement])])
        work.take''')
a=t.index('    for member in _members(work, dated.start):'); b=t.index('    too_low = next(')
t=t[:a]+'''    touched: list[tuple[Refolded, int]] = []
    for folded in folds:
        ended += [(folded, m) for m in work.lost(folded, None)]
        touched += [(folded, m) for m in _tied(work, folded, others)]
        work.take(folded)
'''+t[b:]
t=t.replace("for folded, m in ended for r in [_too_low","for folded, m in (*ended, *touched) for r in [_too_low")
s=h+t
sub('from vigent.write.entered import Entered\n','from vigent.write.entered import Entered\nfrom vigent.write.fields import APPLICATION\n')
open(p,'w').write(s)
