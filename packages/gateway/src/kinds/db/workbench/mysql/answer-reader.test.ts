import { expect, test } from 'vitest';
import { AnswerReader } from './answer-reader.ts';

function packetOf(body: string): Buffer {
  return Buffer.concat([Buffer.of(body.length, 0, 0, 0), Buffer.from(body)]);
}

const STREAM = Buffer.concat(['whole', 'row one', 'row two', 'wait', 'end'].map(packetOf));

test('wherever the bytes are cut, the same is told, and it stops where it was told to', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    const told: string[] = [];
    let row = '';
    let mayGoOn = false;
    const reader = new AnswerReader({
      begins(first) {
        const letter = String.fromCharCode(first);
        if (letter === 'w' && told.length === 3 && !mayGoOn) return 'wait';
        return letter === 'r' ? 'row' : 'whole';
      },
      part(bytes) {
        row += bytes.toString();
      },
      rowEnd() {
        told.push(row);
        row = '';
      },
      whole: (body) => void told.push(body.toString()),
    });
    const first = reader.feed(STREAM.subarray(0, cut));
    const second = first.length > 0 ? STREAM.subarray(cut) : reader.feed(STREAM.subarray(cut));
    expect(told).toEqual(['whole', 'row one', 'row two'].slice(0, told.length));
    mayGoOn = true;
    const rest = Buffer.concat([first, second]);
    expect(reader.feed(rest)).toHaveLength(0);
    expect(told).toEqual(['whole', 'row one', 'row two', 'wait', 'end']);
  }
});
