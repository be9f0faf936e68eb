/** What a function makes of an object, made once for as long as the object lives. */

export type Memo = <Given extends object, Made>(given: Given, make: (given: Given) => Made) => Made;

/** By the object and the function themselves: give the same function, not a new one for each call. */
export function createMemo(): Memo {
  const known = new WeakMap<object, Map<unknown, unknown>>();
  return <Given extends object, Made>(given: Given, make: (given: Given) => Made): Made => {
    const held = known.get(given) ?? new Map<unknown, unknown>();
    known.set(given, held);
    if (!held.has(make)) held.set(make, make(given));
    return held.get(make) as Made;
  };
}
