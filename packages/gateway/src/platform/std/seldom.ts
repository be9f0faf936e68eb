/** Does something that is asked for often only so often. */

export interface Seldom {
  tell(): void;
  /** Does at once what waits, for whatever must not overtake it. */
  hurry(): void;
  stop(): void;
}

/** The first at once, and whatever comes within the time after it as one more at its end. */
export function seldom(send: () => void, everyMs: number): Seldom {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  const tell = () => {
    again = timer !== undefined;
    if (again) return;
    send();
    timer = setTimeout(() => {
      timer = undefined;
      if (again) tell();
    }, everyMs);
  };
  const hurry = () => {
    if (!again) return;
    again = false;
    send();
  };
  return { tell, hurry, stop: () => clearTimeout(timer) };
}
