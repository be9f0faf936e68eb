/** Does something that is asked for often only so often. */

export interface Seldom {
  tell(): void;
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
  return { tell, stop: () => clearTimeout(timer) };
}
