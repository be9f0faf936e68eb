/** Asks at the terminal for something that the screen must not show, nor what scrolls back on it. */

interface Keys {
  setRawMode(raw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (typed: string) => void): unknown;
  off(event: 'data', listener: (typed: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const [INTERRUPT, END, BACKSPACE, DELETE, CLEAR] = ['\u0003', '\u0004', '\b', '\u007f', '\u0015'];

export async function askSecret(
  question: string,
  keys: Keys,
  screen: { write(text: string): unknown },
  interrupt: () => unknown = () => process.kill(process.pid, 'SIGINT'),
): Promise<string> {
  const answered = Promise.withResolvers<string>();
  let typed: string[] = [];
  const read = (text: string) => {
    // A pasted secret comes in one piece, with what ends it or without.
    for (const key of text) {
      if (key === '\r' || key === '\n' || key === END) return answered.resolve(typed.join(''));
      if (key === INTERRUPT) return answered.reject(new Error('interrupted'));
      if (key === BACKSPACE || key === DELETE) typed.pop();
      else if (key === CLEAR) typed = [];
      else if (key >= ' ') typed.push(key);
    }
  };
  screen.write(question);
  keys.setEncoding('utf8');
  keys.setRawMode(true);
  keys.on('data', read);
  keys.resume();
  try {
    return await answered.promise;
  } catch (error) {
    // Raw keys are no signals: whoever presses Ctrl-C means the program, not the secret.
    interrupt();
    throw error;
  } finally {
    keys.off('data', read);
    keys.setRawMode(false);
    keys.pause();
    screen.write('\n');
  }
}
