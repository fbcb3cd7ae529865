"""The shuffled numbers with which published programs choose the gradients of a lattice.

References
----------
Perlin, K. (2002). Improving noise. ACM Transactions on Graphics 21(3), 681–682. doi:10.1145/566570.566636
"""

import numpy as np
import numpy.typing as npt


def _table(digits: str) -> npt.NDArray[np.uint8]:
    """Return a permutation table from hexadecimal digits, two for each entry."""
    return np.frombuffer(bytes.fromhex(digits), np.uint8)


TABLE_A = _table(
    "ebf90eef6b31c0d61fb5c76a9db854ccb07379322d7f0496fe8aeccd5dde72431d1848f38d80c34e42d73d7068daf661e4fb22f2"
    "c1eed2900cbfb3a2f151339199659ba72bac09811627fd13626c6e4f71e0e8b2b94aa547868b301ba64d929ee7536fe57a3cd385"
    "e6dcbbd05912a9c8c4878274bc9f56a4646dc6adba032f103a11b6bd1c2adfb7aad577f898022c9aa346dd4034d9e2fa7c7b05ca"
    "2693767eff5255d4cfce3be3cb75230b2039b12158ed953857ae147d88aba844af695c29372ef528f4668f3641193fa101d85049"
    "d14c848e086325f0150a17be0694f778ea4b001ac53e5efcdb97a0895b5a0f830dc95f6035c2e907e18c24671e459cb4"
)
"""The shuffled numbers of the salted variant."""

TABLE_B = _table(
    "97a0895b5a0f830dc95f6035c2e907e18c24671e458e086325f0150a17be0694f778ea4b001ac53e5efcdbcb75230b2039b12158"
    "ed953857ae147d88aba844af4aa547868b301ba64d929ee7536fe57a3cd385e6dc695c29372ef528f4668f3641193fa101d85049"
    "d14c84bbd05912a9c8c4878274bc9f56a4646dc6adba034034d9e2fa7c7b05ca2693767eff5255d4cfce3be32f103a11b6bd1c2a"
    "dfb7aad577f898022c9aa346dd99659ba72bac09811627fd13626c6e4f71e0e8b2b97068daf661e4fb22f2c1eed2900cbfb3a2f1"
    "513391ebf90eef6b31c0d61fb5c76a9db854ccb07379322d7f0496fe8aeccd5dde72431d1848f38d80c34e42d73d9cb4"
)
"""Perlin's own shuffled numbers (2002)."""
