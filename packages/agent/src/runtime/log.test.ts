import { expect, test } from 'vitest';
import { createAgentLog } from './log.ts';

const HOSTILE = 'a\u001b[2Jb\u009b2Jc\u202ed\u2066e\u200ff\ng\r\u007fh';

test('the pretty log shows what steers a terminal and does not pass it on, in a field, a name of one or the message', () => {
  const lines: string[] = [];
  const log = createAgentLog({ format: 'pretty', write: (line) => void lines.push(line) });

  log.info({ said: HOSTILE, [HOSTILE]: 'x' }, `heard ${HOSTILE}`);

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/);
  expect(lines[0]).toContain('\\x9b2J');
  expect(lines[0]).toContain('\\u202e');
});

test('the pretty log leaves plain values as they are and quotes others', () => {
  const lines: string[] = [];
  const log = createAgentLog({
    format: 'pretty',
    write: (line) => void lines.push(line),
    now: () => new Date('2026-03-04T05:06:07Z'),
  });

  log.warn({ gateway: 'gw:443', reason: 'not "here", äöü', left: undefined }, 'waits');

  expect(lines).toEqual(['2026-03-04T05:06:07.000Z warn waits gateway=gw:443 reason="not \\"here\\", äöü"\n']);
});
