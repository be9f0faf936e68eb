/** What an ordinary hour in a shell prints, key by key and command by command: made up, and the same in every run. */

export interface Printed {
  ms: number;
  text: string;
}

const COMMANDS = [
  'ls -l',
  'git status',
  'cd /var/log',
  'tail -n 20 syslog',
  'systemctl status nginx',
  'grep -rn timeout /etc/nginx',
  'df -h',
  'ps aux | grep node',
  'vim notes.txt',
  'exit 0 || true',
];

export function* ordinaryShell(minutes: number): Generator<Printed> {
  const random = generator(42);
  const between = (least: number, most: number) => least + random(most - least);
  const prompt = '\u001b[01;32mann@web-1\u001b[00m:\u001b[01;34m~/project\u001b[00m$ ';
  let ms = 0;
  yield { ms, text: prompt };
  while (ms < minutes * 60_000) {
    const command = COMMANDS[random(COMMANDS.length)] as string;
    for (const key of command) {
      ms += between(90, 320);
      yield { ms, text: key };
      // A slip of the finger now and then.
      if (random(25) > 0) continue;
      ms += between(150, 400);
      yield { ms, text: '\b\u001b[K' };
      ms += between(150, 400);
      yield { ms, text: key };
    }
    ms += between(100, 400);
    yield { ms, text: '\r\n' };
    const lines = between(1, 40);
    for (let line = 0; line < lines; line += 1) {
      ms += random(4);
      yield { ms, text: `${lineOf(random)}\r\n` };
    }
    yield { ms, text: prompt };
    // What was printed is read.
    ms += between(1_500, 9_000);
  }
}

function lineOf(random: (below: number) => number): string {
  const word = () => random(36 ** 5).toString(36);
  const time = `Nov 15 ${String(random(24)).padStart(2, '0')}:${String(random(60)).padStart(2, '0')}:${random(60)}`;
  switch (random(3)) {
    case 0:
      return `-rw-r--r-- 1 ann ann ${String(random(900_000)).padStart(8)} ${time} \u001b[0m\u001b[01;34m${word()}\u001b[0m.${word().slice(0, 2)}`;
    case 1:
      return `${time} web-1 ${word()}[${random(30_000)}]: connection from 10.0.${random(255)}.${random(255)} port ${random(65_000)} ${word()}`;
    default:
      return `/etc/nginx/sites-enabled/${word()}:${random(400)}:    proxy_read_timeout ${random(90)}s; # ${word()} ${word()}`;
  }
}

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
