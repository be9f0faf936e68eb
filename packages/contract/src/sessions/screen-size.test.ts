import { expect, test } from 'vitest';
import { shellSize } from '../reach/agents/shell-frames.ts';
import { compatParams } from './compat-terminal.ts';
import { terminalCommand, terminalReply } from './terminal-frames.ts';

const HUGE = { cols: 4095, rows: 4095 };
const CUT = { cols: 1_000, rows: 500 };

test('no door and no agent makes a screen larger than watchers can bear', () => {
  expect(terminalCommand.parse({ type: 'resize', ...HUGE })).toMatchObject(CUT);
  expect(terminalReply.parse({ type: 'size', ...HUGE })).toMatchObject(CUT);
  expect(shellSize.parse(HUGE)).toEqual(CUT);
  expect(compatParams.parse({ term: { h: HUGE.rows, w: HUGE.cols } }).term).toEqual({ h: CUT.rows, w: CUT.cols });
});

test('what people have is left as it is', () => {
  expect(shellSize.parse({ cols: 768, rows: 240 })).toEqual({ cols: 768, rows: 240 });
});
