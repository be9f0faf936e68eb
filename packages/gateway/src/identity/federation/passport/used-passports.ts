/** Passports that were shown: none counts twice. */

/** So many within their minute and a half; then nobody else is let in until the first of them have run out. */
const MAX_REMEMBERED = 200_000;

export interface UsedPassports {
  /** False where it was shown before, or there is no room to remember that it was. */
  use(id: string, until: number): boolean;
}

export function createUsedPassports(now: () => number, max = MAX_REMEMBERED): UsedPassports {
  const used = new Map<string, number>();

  /** They come nearly in the order in which they run out: it stops at the first that has not. */
  function forgetRunOut(): void {
    for (const [id, until] of used) {
      if (until > now()) return;
      used.delete(id);
    }
  }

  return {
    use(id, until) {
      forgetRunOut();
      if (used.has(id) || used.size >= max) return false;
      used.set(id, until);
      return true;
    },
  };
}

/** By root: one that shows as many as can be remembered keeps out its own people, and nobody else's. */
export function createUsedByRoot(now: () => number, max = MAX_REMEMBERED): (rootId: string) => UsedPassports {
  const byRoot = new Map<string, UsedPassports>();
  return (rootId) => {
    const used = byRoot.get(rootId) ?? createUsedPassports(now, max);
    byRoot.set(rootId, used);
    return used;
  };
}
