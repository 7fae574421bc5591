#!/usr/bin/env python3
"""Explicit-state model of the stock protocol: every interleaving of a small sale.

It walks every reachable state of a sale with few units, few deduct keys, repeated
requests, repeated and early rollbacks, at-least-once unordered messages, crashes
between any two steps, holders that pause and wake up late, trimmed tombstones, calibration, units
that move between buckets, lost history entries, a wiped bucket that is loaded again and a Redis
failover that loses writes, and checks the invariants of ../protocol.md in each state.
One SKU; a key is a deduct key. Not in here: closed buckets, spill pointers, adjustments, ORDERED, forged
entries, rejected credits. The complete model is src/test/java/io/penstock/model, which ./mvnw verify runs; this
one is the core of it in one file, without a build.

  python3 protocol_model.py [WORD]     all configurations (a few minutes), or those named with WORD
  python3 protocol_model.py --broken   the same with each safeguard removed in turn:
                                       every one of them must produce a violation
"""
import sys
from collections import namedtuple, deque

# One Redis bucket: the counter, the live deduction history, the rollback tombstones, and the book:
# how many live entries there are, the allotment, the transfer ids seen, the epoch of its loading.
# A wiped bucket is None; one that is being loaded has no stock yet.
Bucket = namedtuple("Bucket", "stock hist tomb count allot moves epoch")
# One ledger row: D deducted, X rejected, R rolled back, C cancelled before deduction.
Row = namedtuple("Row", "status bucket credit")  # credit: '-' none, 'P' pending, 'd' done
# transfer: the step of one unit on its way from bucket 0 to bucket 1, None before it begins.
State = namedtuple("State", "redis replica epochs allotted avail rows transfer msgs ops tries "
                            "rollbacks accepted asked faults trims calibrations")
EMPTY = frozenset()

class Violation(Exception):
    pass

class Model:
    def __init__(self, allot, keys, tries, rollbacks, fault=None, faults=1, trims=0, merge=False,
                 calibrations=0, late_begin=False, broken=()):
        self.allot, self.keys, self.broken, self.fault = allot, keys, set(broken), fault
        self.merge = merge
        self.lossy = fault is not None                   # Redis lost something
        self.late_begin = late_begin                     # a loader may pause after it raised the epoch
        b0 = tuple(Bucket(a, EMPTY, EMPTY, 0, a, EMPTY, 0) for a in allot)
        self.initial = State(b0, b0, (0,) * len(allot), tuple(allot), tuple(allot),
                             (None,) * len(keys), None, EMPTY, EMPTY,
                             tries, rollbacks, EMPTY, EMPTY, faults if fault else 0, trims,
                             calibrations)

    # --- the Lua scripts: each is one atomic step -------------------------------------
    def lua_deduct(self, b, k):
        """-> (code, bucket): 3 deducted, 0 duplicate, 1 insufficient, 5 cancelled."""
        if not loaded(b):
            return -1, b
        if k in b.tomb:
            return 5, b
        if k in b.hist:
            return 0, b
        if b.stock < 1:
            return 1, b
        return 3, b._replace(stock=b.stock - 1, hist=b.hist | {k}, count=b.count + 1)

    def lua_restore(self, b, k):
        """-> (code, bucket): 1 restored, 0 restored before, -1 unknown, -2 not loaded."""
        if not loaded(b):
            return -2, b
        if k in b.hist:
            return 1, b._replace(stock=b.stock + 1, hist=b.hist - {k}, tomb=b.tomb | {k},
                                 count=b.count - 1)
        if k in b.tomb:
            return 0, b
        return -1, b

    def lua_credit(self, b, k):
        """The ledger says: deducted and rolled back, Redis does not know the key. It is owed
        only if entries are missing, that is if the book counts more of them than there are."""
        if not loaded(b) or k in b.tomb:
            return b
        if "no-guard" not in self.broken and len(b.hist) == b.count:
            return b._replace(tomb=b.tomb | {k})
        return b._replace(stock=b.stock + 1, tomb=b.tomb | {k}, count=b.count - 1)

    def lua_adopt(self, b, k):
        """The ledger says deducted, Redis lost it: take it back into the history."""
        if not loaded(b) or k in b.hist or k in b.tomb:
            return b
        if len(b.hist) < b.count:                        # the entry was lost, its units were not
            return b._replace(hist=b.hist | {k})
        return b._replace(stock=b.stock - 1, hist=b.hist | {k}, count=b.count + 1)

    def lua_entomb(self, b, k):
        """A cancellation without a deduction: give back what is there, leave the tombstone."""
        if k in b.hist:
            return self.lua_restore(b, k)[1]
        return b._replace(tomb=b.tomb | {k})

    def lua_recount(self, b, seen, allot):
        """Only if nothing moved since it was looked at."""
        if not loaded(b) or (b != seen and "recount-blind" not in self.broken):
            return b
        return b._replace(stock=allot - len(seen.hist), count=len(seen.hist), allot=allot)

    def read_for_load(self, s, i, epoch):
        """What the ledger says of a bucket: its live flows, the keys that are finished, its units,
        and the transfers whose effect those units include."""
        sold = frozenset(k for k, r in enumerate(s.rows) if r and r.status == "D" and r.bucket == i)
        done = frozenset(k for k, r in enumerate(s.rows)
                         if r and (r.status == "C" or r.status in "RX" and r.bucket == i))
        included = {("MOVED", 1): "t", ("BACK", 0): "t/back"}.get((s.transfer, i))
        if "load-unmoved" in self.broken:
            included = None
        return Bucket(s.allotted[i] - len(sold), sold, done, len(sold), s.allotted[i],
                      frozenset({included} if included else ()), epoch)

    def lua_begin(self, b, epoch):
        """Claim a missing bucket, replacing any claim of a lower epoch. A loaded one takes on a higher
        epoch: the ledger has raised it already, and a transfer compares the two."""
        if loaded(b):
            return b if "begin-blind" in self.broken else b._replace(epoch=max(b.epoch, epoch))
        if b is not None and b.epoch > epoch:
            return b
        return Bucket(None, EMPTY, EMPTY, 0, 0, EMPTY, epoch)

    def lua_finish_load(self, b, snapshot):
        """Only into the bucket that this load began."""
        began = b is not None and b.stock is None and b.epoch == snapshot.epoch
        return snapshot if began else b

    def lua_move(self, b, epoch, name, units):
        if not loaded(b) or (b.epoch != epoch and "move-late" not in self.broken):
            return b, False
        if name in b.moves and "move-twice" not in self.broken:
            return b, True
        if b.stock + units < 0:
            return b, False
        return b._replace(stock=b.stock + units, allot=b.allot + units, moves=b.moves | {name}), True

    # --- ledger transactions: each is one atomic step ---------------------------------
    def tx_settle(self, s, k, i):
        """-> (rows, avail, give_back) for a deduction message of key k on bucket i."""
        row = s.rows[k]
        if row is None:
            if s.avail[i] >= 1:
                return put(s.rows, k, Row("D", i, "-")), put(s.avail, i, s.avail[i] - 1), False
            return put(s.rows, k, Row("X", i, "-")), s.avail, True
        if row.status == "D" and row.bucket == i:
            return s.rows, s.avail, False
        return s.rows, s.avail, "keep-strays" not in self.broken

    def tx_rollback(self, s, k):
        row = s.rows[k]
        if row is None:
            if "no-cancel-row" in self.broken:
                return s.rows, s.avail
            return put(s.rows, k, Row("C", -1, "P")), s.avail
        if row.status == "D":
            return (put(s.rows, k, Row("R", row.bucket, "P")),
                    put(s.avail, row.bucket, s.avail[row.bucket] + 1))
        return s.rows, s.avail

    # --- steps that touch Redis on behalf of a committed ledger row --------------------
    def redis_credit(self, s, k):
        row = s.rows[k]
        b = s.redis[row.bucket]
        code, nb = self.lua_restore(b, k)
        if code == -1:
            nb = self.lua_credit(b, k)
        return s._replace(redis=put(s.redis, row.bucket, nb))

    def redis_restore(self, s, k, i):
        row, b = s.rows[k], s.redis[i]
        _, nb = self.lua_restore(b, k)
        if row and row.status == "D" and nb != b and "stray-tombstone" not in self.broken:
            nb = nb._replace(tomb=b.tomb)                   # sold elsewhere: the key is alive
        return s._replace(redis=put(s.redis, i, nb))

    # --- everything that can happen next ----------------------------------------------
    def successors(self, s):
        for k in range(len(self.keys)):
            if s.tries[k]:
                t = s._replace(tries=put(s.tries, k, s.tries[k] - 1))
                home = k % len(self.allot)
                yield from self.try_bucket(t, k, home, 0)
            if s.rollbacks[k]:
                t = s._replace(rollbacks=put(s.rollbacks, k, s.rollbacks[k] - 1),
                               asked=s.asked | {k})
                if "redis-first" in self.broken:
                    for i, b in enumerate(s.redis):
                        if loaded(b) and k in b.hist:
                            yield self.redis_restore(t, k, i)._replace(ops=t.ops | {("rbdb", k, -1)})
                rows, avail = self.tx_rollback(t, k)
                t = t._replace(rows=rows, avail=avail)
                yield t                                     # crash after the commit
                yield t._replace(ops=t.ops | {("rb", k, -1)})
        for op in s.ops:
            rest = s._replace(ops=s.ops - {op})
            kind, k, i = op
            if kind != "rbdb":
                yield rest                                  # crash: the step never happens
            if kind in ("move", "deposit", "back"):
                yield from self.transfer_step(rest, kind, k)
            elif kind == "begin":
                yield rest._replace(redis=put(s.redis, i, self.lua_begin(s.redis[i], k)))
            elif kind == "load":
                yield rest._replace(redis=put(s.redis, i, self.lua_finish_load(s.redis[i], k)))
            elif kind == "adopt":
                b = s.redis[i]
                for key in k:
                    b = self.lua_adopt(b, key)
                yield rest._replace(redis=put(s.redis, i, b), ops=rest.ops | {("seen", b, i)})
            elif kind == "seen":                            # then the ledger: allotted, nothing open
                if s.transfer in (None, "DONE") or "recount-open" in self.broken:
                    yield rest._replace(ops=rest.ops | {("recount", (k, s.allotted[i]), i)})
            elif kind == "recount":
                yield rest._replace(redis=put(s.redis, i, self.lua_recount(s.redis[i], *k)))
            if kind == "emit":                              # deducted in Redis, not in Kafka yet
                t = rest._replace(msgs=s.msgs | {(k, i)})
                yield t                                     # sent, the reply is lost
                yield t._replace(accepted=s.accepted | {k})
            elif kind == "rb":
                yield from self.credit_steps(rest, k)
            elif kind == "rbdb":
                rows, avail = self.tx_rollback(rest, k)
                yield rest._replace(rows=rows, avail=avail)
            elif kind == "giveback":
                t = self.redis_restore(rest, k, i)
                yield t                                     # crash before the offset commit
                yield t._replace(msgs=s.msgs - {(k, i)})
        for k, i in s.msgs:
            rows, avail, give_back = self.tx_settle(s, k, i)
            t = s._replace(rows=rows, avail=avail)
            yield t                                         # committed, offset not: redelivery
            if give_back:
                yield t._replace(ops=t.ops | {("giveback", k, i)})
            else:
                yield t._replace(msgs=s.msgs - {(k, i)})
        for k, row in enumerate(s.rows):
            if row and row.credit == "P":                   # the sweeper of pending credits
                yield from self.credit_steps(s, k)
        yield from self.resolve_orphans(s)
        if self.merge:
            yield from self.transfer_steps(s)
        if s.trims:                                         # never while the ledger owes a credit
            for i, b in enumerate(s.redis):
                for k in b.tomb if loaded(b) else ():
                    if s.rows[k] and s.rows[k].credit == "P":
                        continue
                    yield s._replace(trims=s.trims - 1,
                                     redis=put(s.redis, i, b._replace(tomb=b.tomb - {k})))
        for i, b in enumerate(s.redis):
            drained = not any(m[1] == i for m in s.msgs) or "load-early" in self.broken
            if not loaded(b) and self.late_begin and s.epochs[i] < 2:
                epoch = s.epochs[i] + 1
                yield s._replace(epochs=put(s.epochs, i, epoch), ops=s.ops | {("begin", epoch, i)})
            if b is None:                                   # begin: a new epoch, a claim in Redis
                epoch = s.epochs[i] + 1
                yield s._replace(epochs=put(s.epochs, i, epoch),
                                 redis=put(s.redis, i, self.lua_begin(b, epoch)))
            elif b.stock is None and drained:               # the backlog is settled: read, then load
                yield s._replace(ops=s.ops | {("load", self.read_for_load(s, i, b.epoch), i)})
            elif s.calibrations and drained and s.transfer in (None, "DONE"):
                sold = frozenset(k for k, r in enumerate(s.rows)
                                 if r and r.status == "D" and r.bucket == i)
                yield s._replace(calibrations=s.calibrations - 1, ops=s.ops | {("adopt", sold, i)})
            if not s.faults:
                continue
            if self.fault == "failover" and s.replica[i] != b:
                yield s._replace(replica=put(s.replica, i, b))
                yield s._replace(faults=s.faults - 1, redis=put(s.redis, i, s.replica[i]))
            if self.fault == "wipe" and b is not None:
                yield s._replace(faults=s.faults - 1, redis=put(s.redis, i, None))
            if self.fault == "evict" and loaded(b):
                for k in b.hist:
                    yield s._replace(faults=s.faults - 1,
                                     redis=put(s.redis, i, b._replace(hist=b.hist - {k})))

    def transfer_steps(self, s):
        """Merge: what any instance may begin at any time; what it then writes comes as an op."""
        if s.transfer is None:
            yield s._replace(transfer="STARTED")
        elif s.transfer == "STARTED" and loaded(s.redis[0]):
            b, taken = self.lua_move(s.redis[0], s.redis[0].epoch, "t", -1)
            if taken:
                yield s._replace(redis=put(s.redis, 0, b), ops=s.ops | {("move", b.epoch, 0)})
            else:
                yield s._replace(transfer="DONE")           # nothing to move
        elif s.transfer == "MOVED" and loaded(s.redis[1]):
            yield s._replace(ops=s.ops | {("deposit", s.redis[1].epoch, 1)})
        elif s.transfer == "BACK" and loaded(s.redis[0]):
            yield s._replace(ops=s.ops | {("back", s.redis[0].epoch, 0)})

    def transfer_step(self, s, kind, epoch):
        if kind == "move":                                  # the ledger moves, in the epoch it was taken
            if s.transfer == "STARTED" and (s.epochs[0] == epoch or "move-late" in self.broken):
                if s.avail[0] < 1:                          # only after lost writes
                    yield s._replace(transfer="BACK")
                else:
                    yield s._replace(avail=(s.avail[0] - 1, s.avail[1] + 1), transfer="MOVED",
                                     allotted=(s.allotted[0] - 1, s.allotted[1] + 1))
            return
        i, name, step = (1, "t", "MOVED") if kind == "deposit" else (0, "t/back", "BACK")
        b, given = self.lua_move(s.redis[i], epoch, name, 1)
        t = s._replace(redis=put(s.redis, i, b))
        yield t                                             # crash before it is done
        if given and s.transfer == step:
            yield t._replace(transfer="DONE")

    def try_bucket(self, s, k, i, hop):
        code, nb = self.lua_deduct(s.redis[i], k)
        if code in (3, 0):
            yield s._replace(redis=put(s.redis, i, nb), ops=s.ops | {("emit", k, i)})
        elif code == 1 and hop + 1 < len(self.allot):
            yield from self.try_bucket(s, k, (i + 1) % len(self.allot), hop + 1)
        else:
            yield s

    def credit_steps(self, s, k):
        row = s.rows[k]
        if row is None:
            return
        if row.status == "R" and (row.credit == "P" or "credit-again" in self.broken):
            if not loaded(s.redis[row.bucket]):
                return                                      # still owed: load first
            t = self.redis_credit(s, k)
            yield t                                         # crash before marking it done
            yield t._replace(rows=put(s.rows, k, row._replace(credit="d")))
        elif row.status == "C" and row.credit == "P" and all(map(loaded, s.redis)):
            t = s._replace(redis=tuple(self.lua_entomb(b, k) for b in s.redis))
            yield t
            yield t._replace(rows=put(s.rows, k, row._replace(credit="d")))

    def resolve_orphans(self, s):
        """History entries the ledger does not confirm: settle forward or give back."""
        for i, b in enumerate(s.redis):
            for k in b.hist if loaded(b) else ():
                row = s.rows[k]
                if row is None and "cancel-orphans" in self.broken:
                    yield self.redis_restore(
                        s._replace(rows=put(s.rows, k, Row("C", -1, "-"))), k, i)
                elif row is None:
                    yield s._replace(msgs=s.msgs | {(k, i)})
                elif (row.status != "D" or row.bucket != i) and "keep-strays" not in self.broken:
                    yield self.redis_restore(s, k, i)

    def calibrate(self, s):
        redis = list(s.redis)
        for k, row in enumerate(s.rows):
            if row and row.status == "D":
                redis[row.bucket] = self.lua_adopt(redis[row.bucket], k)
        for i, b in enumerate(redis):                       # recount: one atomic script
            redis[i] = self.lua_recount(b, b, s.allotted[i])
        return s._replace(redis=tuple(redis))

    # --- invariants ---------------------------------------------------------------------
    def check(self, s):
        if sum(s.allotted) != sum(self.allot):
            raise Violation(f"units appeared or vanished in the ledger: {s}")
        for i, a in enumerate(s.allotted):
            sold = sum(1 for r in s.rows if r and r.status == "D" and r.bucket == i)
            if s.avail[i] < 0 or s.avail[i] != a - sold:
                raise Violation(f"ledger does not add up on bucket {i}: {s}")
            b = s.redis[i]
            if not loaded(b):
                continue
            if any(s.rows[k] and s.rows[k].status == "D" for k in b.tomb):
                raise Violation(f"a sold key is answered as finished: {s}")
            if not self.lossy:
                if b.stock > s.avail[i]:
                    raise Violation(f"Redis shows more than the ledger has on bucket {i}: {s}")
                if b.stock + b.count != b.allot:
                    raise Violation(f"the book does not add up on bucket {i}: {s}")
            elif self.fault == "wipe" and not s.ops and not s.msgs and s.transfer in (None, "DONE"):
                if b.allot != a:
                    raise Violation(f"a loaded bucket has other units than the ledger: {s}")
                if b.stock > s.avail[i] and all(k in b.hist for k, r in enumerate(s.rows)
                                                if r and r.status == "D" and r.bucket == i):
                    raise Violation(f"Redis shows more than the ledger has on bucket {i}: {s}")
        if not self.lossy and any(r and r.status == "X" for r in s.rows):
            raise Violation(f"an accepted deduction was rejected though nothing was lost: {s}")

    def drained(self, s):
        """What background work alone makes of this state once clients stop."""
        s = s._replace(tries=(0,) * len(self.keys), rollbacks=(0,) * len(self.keys),
                       faults=0, trims=0, calibrations=0,
                       ops=frozenset(o for o in s.ops if o[0] == "rbdb"))
        while s.ops:
            rows, avail = self.tx_rollback(s, next(iter(s.ops))[1])
            s = s._replace(rows=rows, avail=avail, ops=frozenset(list(s.ops)[1:]))
        for _ in range(20):
            before = s
            for i, b in enumerate(s.redis):
                epoch = s.epochs[i] + 1
                if not loaded(b):
                    s = s._replace(epochs=put(s.epochs, i, epoch),
                                   redis=put(s.redis, i, self.read_for_load(s, i, epoch)))
                elif s.transfer == "STARTED" and b.epoch != s.epochs[i]:    # a transfer asks for a load
                    s = s._replace(epochs=put(s.epochs, i, epoch),
                                   redis=put(s.redis, i, self.lua_begin(b, epoch)))
            for _ in range(5):
                if not self.merge or s.transfer in (None, "DONE"):
                    break
                for t in self.transfer_steps(s):
                    for kind, epoch, _ in t.ops:
                        for t in self.transfer_step(t._replace(ops=EMPTY), kind, epoch):
                            pass
                    s = t._replace(ops=EMPTY)
            else:
                raise Violation(f"a transfer never ends: {s}")
            for k, i in sorted(s.msgs):
                rows, avail, give_back = self.tx_settle(s, k, i)
                s = s._replace(rows=rows, avail=avail, msgs=s.msgs - {(k, i)})
                if give_back:
                    s = self.redis_restore(s, k, i)
            for k, row in enumerate(s.rows):
                if row and row.credit == "P":
                    if row.status == "C":
                        s = s._replace(redis=tuple(self.lua_entomb(b, k) for b in s.redis))
                    else:
                        s = self.redis_credit(s, k)
                    s = s._replace(rows=put(s.rows, k, row._replace(credit="d")))
            for t in self.resolve_orphans(s):
                s = t
                break
            if self.fault and s.transfer in (None, "DONE"):
                s = self.calibrate(s)
            if s == before:
                return s
        raise Violation(f"background work does not settle: {s}")

    def check_final(self, s):
        f = self.drained(s)
        for i, a in enumerate(f.allotted):
            sold = {k for k, r in enumerate(f.rows) if r and r.status == "D" and r.bucket == i}
            if f.redis[i].hist != sold or f.redis[i].stock != f.avail[i]:
                raise Violation(f"Redis and ledger differ at rest on bucket {i}:\n  from {s}\n  to   {f}")
        for k in range(len(self.keys)):
            row = f.rows[k]
            if k in s.accepted and k not in s.asked and (row is None or row.status != "D"):
                if not (self.lossy and row and row.status == "X"):
                    raise Violation(f"accepted deduction {k} was lost:\n  from {s}\n  to   {f}")
            if k in s.asked and row and row.status == "D":
                raise Violation(f"cancelled deduction {k} is still sold:\n  from {s}\n  to   {f}")

    def run(self, limit=3_000_000):
        seen, queue = {self.initial}, deque([self.initial])
        while queue:
            s = queue.popleft()
            self.check(s)
            self.check_final(s)
            for t in self.successors(s):
                if t not in seen:
                    seen.add(t)
                    queue.append(t)
            if len(seen) > limit:
                raise SystemExit(f"more than {limit} states")
        return len(seen)

def loaded(b):
    return b is not None and b.stock is not None

def put(t, i, v):
    return t[:i] + (v,) + t[i + 1:]

CONFIGS = {
    "one unit, two keys, retries and double rollback": dict(
        allot=(1,), keys="ab", tries=(2, 2), rollbacks=(2, 2)),
    "two buckets, spill, retries": dict(
        allot=(1, 1), keys="ab", tries=(2, 2), rollbacks=(1, 1)),
    "two buckets, three keys compete": dict(
        allot=(1, 1), keys="abc", tries=(2, 1, 1), rollbacks=(0, 0, 1)),
    "tombstones trimmed": dict(
        allot=(1,), keys="ab", tries=(2, 1), rollbacks=(2, 1), trims=1),
    "failover loses writes": dict(
        allot=(1,), keys="ab", tries=(1, 1), rollbacks=(1, 1), fault="failover"),
    "two units, failover loses writes": dict(
        allot=(2,), keys="abc", tries=(1, 1, 1), rollbacks=(1, 0, 0), fault="failover"),
    "history entries evicted, tombstones trimmed": dict(
        allot=(2,), keys="ab", tries=(2, 1), rollbacks=(1, 1), fault="evict", trims=1),
    "bucket wiped and loaded again": dict(
        allot=(1,), keys="ab", tries=(2, 1), rollbacks=(1, 1), fault="wipe"),
    "calibration while selling": dict(
        allot=(1,), keys="ab", tries=(2, 1), rollbacks=(1, 1), calibrations=1),
    "calibration after an eviction": dict(
        allot=(1,), keys="ab", tries=(1, 1), rollbacks=(1, 1), fault="evict", calibrations=1),
    "calibration while units move": dict(
        allot=(1, 0), keys="a", tries=(1,), rollbacks=(1,), merge=True, calibrations=1),
    "units move between buckets while selling": dict(
        allot=(1, 1), keys="ab", tries=(1, 1), rollbacks=(1, 1), merge=True),
    "buckets are wiped twice": dict(
        allot=(1,), keys="ab", tries=(1, 1), rollbacks=(1, 0), fault="wipe", faults=2),
    "buckets are wiped while units move": dict(
        allot=(1, 0), keys="a", tries=(1,), rollbacks=(1,), merge=True, fault="wipe", faults=2),
    "two loaders while units move": dict(
        allot=(1, 0), keys="a", tries=(1,), rollbacks=(0,), merge=True, fault="wipe", late_begin=True),
    "failover while units move": dict(
        allot=(1, 0), keys="a", tries=(2,), rollbacks=(1,), merge=True, fault="failover"),
}
BROKEN = {
    "redis-first": "two buckets, three keys compete",
    "no-cancel-row": "one unit, two keys, retries and double rollback",
    "keep-strays": "two buckets, three keys compete",
    "cancel-orphans": "two buckets, spill, retries",
    "no-guard": "bucket wiped and loaded again",
    "move-twice": "units move between buckets while selling",
    "move-late": "buckets are wiped while units move",
    "load-unmoved": "buckets are wiped while units move",
    "recount-blind": "calibration while selling",
    "recount-open": "calibration while units move",
    "stray-tombstone": "two buckets, three keys compete",
    "begin-blind": "two loaders while units move",
}

if __name__ == "__main__":
    only = [a for a in sys.argv[1:] if not a.startswith("-")]
    if "--broken" in sys.argv:
        missed = 0
        for flaw, config in BROKEN.items():
            try:
                n = Model(**CONFIGS[config], broken=(flaw,)).run()
                print(f"NOT FOUND  {flaw}: {n} states without a violation")
                missed += 1
            except Violation as v:
                print(f"found      {flaw}: {str(v).splitlines()[0][:150]}")
        sys.exit(missed)
    for name, config in CONFIGS.items():
        if only and not any(word in name for word in only):
            continue
        print(f"holds in all {Model(**config).run():>8} states: {name}", flush=True)
