/** What of MySQL's commands does not pass, or is told otherwise than it came. */
import { expect, test } from 'vitest';
import type { Outcome } from '../statement.ts';
import { CAN } from './capabilities.ts';
import { errorPacket, packet } from './packets.ts';
import type { ClientCommand } from './read-command.ts';
import { Statements } from './statements.ts';

const text = (number: number, words: string) => packet(0, Buffer.concat([Buffer.of(number), Buffer.from(words)]));

function world({ keepsSettings = false } = {}) {
  const asked: ClientCommand[] = [];
  const outcomes: Outcome[] = [];
  const said: Buffer[] = [];
  const statements = new Statements(
    { asked: (each) => void asked.push(each), answered: (_each, outcome) => void outcomes.push(outcome) },
    { mayUse: () => true, keepsSettings },
    { full() {}, room() {}, say: (bytes) => void said.push(bytes) },
    { capabilities: CAN.protocol41, backslashes: true, now: () => 0 },
  );
  return { asked, outcomes, said, statements };
}

test('an error repeats nothing of a statement that holds a secret', () => {
  const { statements, outcomes } = world();
  statements.lookAtClient(text(3, "create user a identified by 'x' 'y'"));
  statements.lookAtServer(errorPacket(1, 1064, "syntax to use near ''y'' at line 1"));

  expect(outcomes.map(({ error }) => error)).toEqual(["syntax to use near '***' at line 1"]);
});

test('a connection with limits is not reset: its client is told to open another', () => {
  const reset = packet(0, Buffer.of(31));
  const limited = world({ keepsSettings: true });
  expect(limited.statements.lookAtClient(reset)).toEqual(Buffer.alloc(0));
  expect(limited.said.map((each) => each.readUInt16LE(5))).toEqual([1047]);

  const free = world();
  expect(free.statements.lookAtClient(reset)).toEqual(reset);
  expect(free.asked).toEqual([{ what: 'resetConnection' }]);
});

test('whose columns are asked for is told', () => {
  const { statements, asked } = world();
  statements.lookAtClient(text(4, 'people\0%'));

  expect(asked).toEqual([{ what: 'fieldList', table: 'people' }]);
});
