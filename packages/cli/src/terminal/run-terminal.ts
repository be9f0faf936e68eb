/** A shell on a server, in the terminal that this command runs in, for as long as it lasts: lost networks and restarted gateways are waited out. */
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { ErrorCode } from '@gatehouse/contract/wire/errors';
import type { TerminalEnd, TerminalLine, TerminalLineOptions } from '@gatehouse/tunnel/sessions/terminal-line';
import type { Io } from '../command.ts';
import { createSecondFactor } from '../input/second-factor.ts';
import type { OwnGateway } from '../proxy/kind-proxy.ts';
import { Failure, formatFailure, ProgramEnded } from '../runtime/failure.ts';
import { createEscapes, ESCAPE_HELP } from './escapes.ts';
import type { LocalTerminal } from './local-terminal.ts';
import { lostWords, newsWords } from './terminal-words.ts';

/** As ssh says that it was not the shell that ended. */
const NOT_THE_SHELL = 255;
const INTERRUPT = 0x03;
/** What is typed while nobody takes it; more waits in the terminal. */
const MAX_UNTAKEN = 256 * 1024;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export interface WantedShell {
  server: string;
  login: string;
}

/** Throws how it ended, unless the shell ended well. */
export async function runTerminal(mine: OwnGateway, wanted: WantedShell, local: LocalTerminal): Promise<void> {
  const { TerminalLine } = await import('@gatehouse/tunnel/sessions/terminal-line');
  let signalled: keyof typeof SIGNALS | undefined;
  let line: TerminalLine | undefined;
  let wasOpen = false;
  const stop = (signal: keyof typeof SIGNALS) => {
    signalled ??= signal;
    line?.end();
  };
  for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) process.on(signal, stop);
  const factor = createSecondFactor({
    ...{ io: mine.io, send: mine.send, what: wanted.server, signal: mine.signal },
    needed: 'a role of yours asks for a second factor at every connection',
    inBrowser: 'open the terminal in the console, or',
    isElsewhere: true,
  });
  /** One that is wrong is asked for again, with another connection. */
  const attempt = async (given: FactorAnswer | undefined): Promise<TerminalEnd> => {
    const opened = new TerminalLine({
      ...lineOptions(mine, wanted, local, () => line),
      onOpen(_, isFirst) {
        if (isFirst && !wasOpen) takeKeys(local, opened);
        else local.tell('connected again');
        wasOpen = true;
      },
      async onFactor() {
        if (given?.code) return { code: given.code };
        throw Object.assign(new Error('a second factor is wanted'), { code: 'mfa_required' });
      },
    });
    line = opened;
    if (signalled !== undefined) opened.end();
    const end = await opened.over;
    // Nothing has begun: there may be something to do about it.
    if (end.is === 'refused' && !wasOpen) throw await refusal(end);
    return end;
  };
  try {
    const end = await factor.with(attempt);
    local.release();
    if (signalled !== undefined) throw new ProgramEnded(SIGNALS[signalled]);
    tellEnd(mine.io, end);
  } finally {
    local.release();
    for (const signal of Object.keys(SIGNALS)) process.off(signal, stop);
  }
}

function lineOptions(
  { io, origin, at, credential, userAgent }: OwnGateway,
  { server, login }: WantedShell,
  local: LocalTerminal,
  line: () => TerminalLine | undefined,
): Omit<TerminalLineOptions, 'onOpen' | 'onFactor'> {
  let wasHeld = false;
  const { TERM } = io.env;
  return {
    ...{ ...at, origin, credential, userAgent, server, login, size: local.size() },
    term: TERM && /^[\w.+-]{1,64}$/.test(TERM) ? TERM : undefined,
    onLost: (why) => local.tell(lostWords(origin, why)),
    onOutput: (bytes, written) => local.write(bytes, written),
    onNews(news) {
      const words = newsWords(news, wasHeld);
      if (news.type === 'flow') wasHeld = news.flow !== 'live';
      if (words !== undefined) local.tell(words);
    },
    onTaken: () => {
      if ((line()?.untaken ?? 0) < MAX_UNTAKEN) local.resume();
    },
  };
}

function takeKeys(local: LocalTerminal, line: TerminalLine): void {
  const escapes = createEscapes({
    end: () => line.end(),
    help: () => local.tell(ESCAPE_HELP.join('\r\n')),
  });
  local.onSize(() => {
    const { cols, rows } = local.size();
    line.resize(cols, rows);
  });
  local.takeKeys((keys) => {
    const passed = escapes.read(keys);
    // There is no program that could hear it.
    if (line.isHeld && passed.includes(INTERRUPT)) return line.end();
    if (passed.length > 0) line.type(passed);
    if (line.untaken >= MAX_UNTAKEN) local.pause();
  });
}

type Refused = Extract<TerminalEnd, { is: 'refused' }>;

async function refusal(refused: Refused): Promise<Error> {
  const { code, message } = refused;
  const { CallError } = await import('@gatehouse/contract/wire/client');
  const advice = adviceOn(refused);
  return new CallError(message, code as ErrorCode, 0, advice === undefined ? {} : { fields: { next: advice } });
}

function adviceOn({ code, next }: Refused): string | undefined {
  return code === 'not_signed_in' ? 'gatehouse login' : next;
}

/** What it says and how it ends is the shell's own; anything else is told. */
function tellEnd(io: Io, end: TerminalEnd): void {
  if (end.is === 'ended' && end.cause === 'exited' && end.exitCode !== undefined) {
    if (end.exitCode !== 0) throw new ProgramEnded(end.exitCode);
    return;
  }
  if (end.is === 'left') {
    io.stderr('gatehouse: left; the shell ends by itself in a few minutes, until then it is found in the browser\n');
    throw new ProgramEnded(NOT_THE_SHELL);
  }
  const next = end.is === 'refused' ? adviceOn(end) : undefined;
  io.stderr(formatFailure(new Failure('failed', end.message, next === undefined ? {} : { next }), 'text'));
  throw new ProgramEnded(NOT_THE_SHELL);
}
