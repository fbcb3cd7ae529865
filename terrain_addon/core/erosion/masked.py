"""Erosion within a mask: where the mask is 0 the land stays as it was, to the last byte.

>>> before = Terrain(np.full((2, 2), 10.0, np.float32), np.zeros((2, 2), np.float32), 5.0)
>>> after = Terrain(np.full((2, 2), 6.0, np.float32), np.full((2, 2), 1.0, np.float32), 5.0)
>>> shares = np.array([[0.0, 0.5], [1.0, 0.25]], np.float32)
>>> eroded = keep_outside(before, Eroded(after, MassBalance(volume_of(before), volume_of(after), left=300.0)), shares)
>>> eroded.terrain.bedrock.tolist(), eroded.terrain.sediment.tolist()
([[10.0, 8.0], [6.0, 9.0]], [[0.0, 0.5], [1.0, 0.25]])
>>> eroded.balance.left, abs(eroded.balance.error) < 1e-9
(131.25, True)
"""

import numpy as np

from ..foundation.compilation import Array, Part, parallel_kernel, portion
from ..foundation.terrain import Field, Terrain
from .mass_balance import Eroded, MassBalance, volume_of


def keep_outside(before: Terrain, eroded: Eroded, shares: Field) -> Eroded:
    """Return what a process made of a land within a mask, and the land as it was outside of it.

    Parameters
    ----------
    before : Terrain
        The land that the process found.
    eroded : Eroded
        What it made of the whole land.
    shares : ndarray of float32, shape (rows, columns)
        The mask, 0 to 1.

    Returns
    -------
    Eroded
        Bedrock and sediment are each before + mask · (after − before).  Of what the process moved across the edge of
        its mask, or outside of it, the balance says that it left, or that less left than came.
    """
    terrain = mixed(before, eroded.terrain, shares)
    balance, after = eroded.balance, volume_of(terrain)
    left = balance.before + balance.uplifted - after
    return Eroded(terrain, MassBalance(balance.before, after, balance.uplifted, left), eroded.notices)


def mixed(before: Terrain, after: Terrain, shares: Field) -> Terrain:
    """Return a land that has changed within a mask.

    Parameters
    ----------
    before, after : Terrain
        The land before and after the change.
    shares : ndarray of float32, shape (rows, columns)
        The mask, 0 to 1.

    Returns
    -------
    Terrain
        Bedrock and sediment are each before + mask · (after − before).
    """
    bedrock, sediment = np.empty_like(before.bedrock), np.empty_like(before.sediment)
    _mix(before.bedrock, after.bedrock, shares, bedrock)
    _mix(before.sediment, after.sediment, shares, sediment)
    return Terrain(bedrock, sediment, before.cell_size)


@parallel_kernel
def _mix(part: Part, was: Array, became: Array, shares: Array, result: Array) -> None:
    """Mix two layers; 0 and 1 take one of them as it is."""
    zero, one = np.float32(0.0), np.float32(1.0)
    for row in portion(part, was.shape[0]):
        for column in range(was.shape[1]):
            share = shares[row, column]
            if share <= zero:
                result[row, column] = was[row, column]
            elif share >= one:
                result[row, column] = became[row, column]
            else:
                result[row, column] = was[row, column] + share * (became[row, column] - was[row, column])
