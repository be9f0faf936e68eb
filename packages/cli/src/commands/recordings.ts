/** `gatehouse recordings`: list, play, take out and verify what sessions printed; count what is missing, let old ones go. */
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { printable } from '@gatehouse/contract/std/printable';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Io, print } from '../command.ts';
import { addGatewayFlags, CURRENT, findGateway, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { timeGiven } from '../input/audit-flags.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { readGiven } from '../input/read-files.ts';
import { type PlayedOutput, playRecording } from '../output/play-recording.ts';
import {
  percent,
  recordingsText,
  size,
  statementLine,
  type ToldVerdict,
  verdictText,
} from '../output/recording-text.ts';
import { table } from '../output/table.ts';
import { Failure } from '../runtime/failure.ts';

interface ListOptions extends GatewayOptions {
  from?: string;
  to?: string;
  user?: string;
  resource?: string;
  search?: string;
  limit: string;
}

interface PlayCommandOptions extends GatewayOptions {
  speed: number;
  maxIdle?: number;
  start?: number;
}

const FORMS = ['asciicast', 'recording', 'sql', 'jsonl'] as const;

interface ExportOptions extends GatewayOptions {
  /** Unless told, what fits the recording. */
  as?: (typeof FORMS)[number];
  out?: string;
}

export function addRecordingCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'recordings',
    summary: 'List, play, export and verify recordings of sessions.',
    examples: ['gatehouse recordings ls --from 24h', 'gatehouse recordings coverage'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);
  const range = (added: Command) =>
    added
      .option('--from <time>', 'from this time on, or so long ago: 2026-01-31T12:00:00Z, 24h, 7d')
      .option('--to <time>', 'up to this time');

  range(
    command({
      name: 'ls',
      summary: 'List sessions with what became of their recordings, newest first.',
      examples: ['gatehouse recordings ls', 'gatehouse recordings ls --from 7d --user ann'],
    }),
  )
    .option('--user <name>', 'who took part')
    .option('--resource <name>', 'what it was with')
    .option('--search <words>', 'words in names or the id')
    .option('--limit <count>', 'at most so many', '100')
    .action(async (options: ListOptions) => {
      const { call, recordingRoutes, send } = await connect(options);
      const { user, resource, search, limit } = options;
      const query = { from: timeGiven(options.from), to: timeGiven(options.to), user, resource, search, limit };
      const { recordings } = await call(send, recordingRoutes.list, { params: CURRENT, query });
      print(io, options.format, recordings, recordingsText(recordings));
    });

  command({
    name: 'play <recording>',
    summary: 'Play a recording in this terminal: by the id of its session, or a file. Nothing that was recorded acts.',
    examples: ['gatehouse recordings play 6f1c2d3e-1111-4222-8333-444455556666 --speed 4'],
  })
    .addOption(new Option('--speed <factor>', '0.5 to 64 times as fast').argParser(factor).default(1))
    .addOption(new Option('--max-idle <duration>', 'wait no longer than this').argParser(parseDurationSeconds))
    .addOption(new Option('--start <duration>', 'begin so far into it').argParser(parseDurationSeconds))
    .action(async (recording: string, options: PlayCommandOptions) => {
      const fromMs = (options.start ?? 0) * 1000;
      const path = fileNamed(io, recording);
      // Bytes of a picture would be obeyed by a terminal as whatever they look like.
      if (path !== undefined && (await kindHere(path)) === 'desktop')
        throw new Failure('usage', 'it is a recording of a desktop: the player of the console shows it');
      const output = path === undefined ? outputThere(options, recording, fromMs) : outputHere(path);
      const stop = new AbortController();
      const onStop = () => stop.abort();
      process.on('SIGINT', onStop).on('SIGTERM', onStop);
      try {
        await playRecording(output, {
          speed: options.speed,
          maxIdleMs: (options.maxIdle ?? Number.POSITIVE_INFINITY) * 1000,
          fromMs,
          write: io.stdout,
          wait: async (ms) => await sleep(ms, true, { signal: stop.signal }).catch(() => false),
        });
      } finally {
        process.off('SIGINT', onStop).off('SIGTERM', onStop);
      }
      // The gateway gives what can be read, and no word about the rest.
      if (path === undefined && !stop.signal.aborted) await requireWhole(verdictThere(options, recording));
    });

  command({
    name: 'export <recording>',
    summary:
      'Take a recording out: a terminal as asciicast, statements of a database as JSON lines or SQL, either as it was written.',
    examples: [
      'gatehouse recordings export 6f1c2d3e-1111-4222-8333-444455556666 > session.cast',
      'gatehouse recordings export 6f1c2d3e-1111-4222-8333-444455556666 --as sql > session.sql',
      'gatehouse recordings export 6f1c2d3e-1111-4222-8333-444455556666 --as recording --out session.rec',
    ],
  })
    .addOption(new Option('--as <form>', 'the form; what fits the recording unless told').choices(FORMS))
    .option('--out <file>', 'write to this file, which must not exist yet')
    .action(async (recording: string, options: ExportOptions) => {
      const path = fileNamed(io, recording);
      if (options.as === 'recording' && (path !== undefined || options.out === undefined))
        throw new Failure('usage', 'name a session, and with --out the file it goes to');
      const as = options.as ?? (await formOf(options, recording, path));
      const parts = path === undefined ? bytesThere(options, recording, as) : partsHere(path, as);
      if (options.out === undefined) {
        const decoder = new TextDecoder();
        for await (const part of parts)
          io.stdout(typeof part === 'string' ? part : decoder.decode(part, { stream: true }));
        return await requireWhole(path === undefined ? verdictThere(options, recording) : checkFile(path));
      }
      const file = createWriteStream(resolve(io.cwd, options.out), { flags: 'wx', mode: 0o600 });
      await once(file, 'open').catch((error: Error) => {
        throw new Failure('usage', `'${options.out}' cannot be written: ${error.message}`);
      });
      await pipeline(parts, file);
      print(
        io,
        options.format,
        { out: options.out, bytes: file.bytesWritten },
        `${options.out}: ${size(file.bytesWritten)}\n`,
      );
      await requireWhole(path === undefined ? verdictThere(options, recording) : checkFile(path));
    });

  command({
    name: 'verify <recording>',
    summary: 'Check that a recording is as it was written: by the gateway, or here with the public key you hold.',
    examples: [
      'gatehouse recordings verify 6f1c2d3e-1111-4222-8333-444455556666',
      'gatehouse audit key > audit.pem && gatehouse recordings verify session.rec --key audit.pem',
    ],
  })
    .option('--key <file>', 'check here, trusting only this public key')
    .action(async (recording: string, options: GatewayOptions & { key?: string }) => {
      const path = fileNamed(io, recording);
      if (path !== undefined && options.key === undefined)
        throw new Failure('usage', 'give the public key with --key; gatehouse audit key prints it');
      const verdict =
        options.key === undefined
          ? await verdictThere(options, recording)
          : await verdictHere(options, { recording, path, key: await readGiven(io, options.key) });
      await requireWhole(verdict);
      print(io, options.format, verdict, `${verdictText(verdict)}\n`);
    });

  range(
    command({
      name: 'coverage',
      summary: 'How many of the ended sessions have a recording that plays, and why the others have not.',
      examples: ['gatehouse recordings coverage --from 7d'],
    }),
  ).action(async (options: GatewayOptions & { from?: string; to?: string }) => {
    const { call, upkeep, send } = await connect(options);
    const query = { from: timeGiven(options.from), to: timeGiven(options.to) };
    const coverage = await call(send, upkeep.coverage, { params: CURRENT, query });
    const { sessions, recorded, share, gaps } = coverage;
    const rows = gaps.map(({ sid, ended, user, resource, cause, reason }) => [
      sid,
      ended,
      user,
      resource,
      cause,
      reason,
    ]);
    const list = rows.length === 0 ? '' : table([['session', 'ended', 'user', 'where', 'cause', 'reason'], ...rows]);
    const more = coverage.gapsComplete ? '' : 'There are more.\n';
    print(io, options.format, coverage, `${percent(share)}: ${recorded} of ${sessions} sessions\n${list}${more}`);
  });

  command({
    name: 'prune',
    summary: 'Remove the recordings that retention lets go now; it happens by itself every hour.',
    examples: ['gatehouse recordings prune --dry-run'],
  })
    .option('--dry-run', 'only tell what would go')
    .action(async (options: GatewayOptions & { dryRun?: boolean }) => {
      const { call, upkeep, send } = await connect(options);
      const body = { dryRun: options.dryRun ?? false };
      const pruned = await call(send, upkeep.prune, { params: CURRENT, body });
      const what = `${pruned.removed.length} recordings (${size(pruned.bytes)})`;
      const text = `${pruned.removed.map((sid) => `${printable(sid)}\n`).join('')}${what} ${pruned.dryRun ? 'would go' : 'are gone'}\n`;
      print(io, options.format, pruned, text);
    });

  async function connect(options: GatewayOptions) {
    const [{ call, readError }, { recordingRoutes }, { recordingUpkeepRoutes: upkeep }, { pathFor }, gateway] =
      await Promise.all([
        import('@gatehouse/contract/wire/client'),
        import('@gatehouse/contract/recordings/recordings'),
        import('@gatehouse/contract/recordings/recording-upkeep'),
        import('@gatehouse/contract/wire/route'),
        findGateway(io, options),
      ]);
    return { call, readError, recordingRoutes, upkeep, pathFor, ...gateway };
  }

  async function* outputThere(options: GatewayOptions, sid: string, seek: number): AsyncGenerator<PlayedOutput> {
    const { call, recordingRoutes, send } = await connect(options);
    const params = { ...CURRENT, sid };
    for (let next: string | undefined; ; ) {
      const query = next === undefined ? { seek: String(seek) } : { next };
      const piece = await call(send, recordingRoutes.playback, { params, query });
      if (piece.screen) yield { ms: piece.screen.ms, bytes: Buffer.from(`\u001b[H\u001b[2J${piece.screen.ansi}`) };
      for (const item of piece.items) {
        if (item.type === 'output') yield { ms: item.ms, bytes: Buffer.from(item.data, 'base64') };
        const line = statementLine(item);
        if (line !== undefined) yield { ms: item.ms, bytes: Buffer.from(line) };
      }
      if (piece.next === undefined || (piece.live && piece.items.length === 0)) return;
      next = piece.next;
    }
  }

  async function* bytesThere(
    options: GatewayOptions,
    sid: string,
    as: NonNullable<ExportOptions['as']>,
  ): AsyncGenerator<Uint8Array> {
    const { open, upkeep, pathFor, readError } = await connect(options);
    const params = { ...CURRENT, sid };
    const urls = {
      asciicast: () => pathFor(upkeep.asciicast.path, params),
      recording: () => pathFor(upkeep.file.path, params),
      sql: () => `${pathFor(upkeep.statements.path, params)}?as=sql`,
      jsonl: () => `${pathFor(upkeep.statements.path, params)}?as=jsonl`,
    };
    const url = urls[as]();
    const { status, bytes } = await open(url);
    if (status === 200) return yield* bytes;
    const parts: Uint8Array[] = [];
    for await (const part of bytes) parts.push(part);
    throw readError({ status, text: Buffer.concat(parts).toString('utf8') }, url);
  }

  async function formOf(
    options: GatewayOptions,
    sid: string,
    path: string | undefined,
  ): Promise<'asciicast' | 'jsonl'> {
    const { recordedAs } = await import('@gatehouse/contract/recordings/recording-types');
    if (path !== undefined) return formFor(await kindHere(path));
    const { call, recordingRoutes, send } = await connect(options);
    const { kind } = await call(send, recordingRoutes.get, { params: { ...CURRENT, sid } });
    return formFor(recordedAs(kind));
  }

  async function verdictThere(options: GatewayOptions, sid: string) {
    const { call, upkeep, send } = await connect(options);
    return await call(send, upkeep.verify, { params: { ...CURRENT, sid } });
  }

  async function verdictHere(
    options: GatewayOptions,
    { recording, path, key }: { recording: string; path: string | undefined; key: string },
  ) {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-verify-'));
    try {
      const file = path ?? join(folder, 'recording');
      if (path === undefined) await pipeline(bytesThere(options, recording, 'recording'), createWriteStream(file));
      return await checkFile(file, key, path === undefined ? recording : undefined);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

function formFor(recorded: string | undefined): 'asciicast' | 'jsonl' {
  if (recorded === 'desktop')
    throw new Failure('usage', 'a recording of a desktop is taken out as it was written: --as recording --out FILE');
  return recorded === 'statements' ? 'jsonl' : 'asciicast';
}

/** A path when there is such a file; session ids have neither dots nor slashes. */
function fileNamed(io: Io, recording: string): string | undefined {
  if (!/[./]/.test(recording)) return undefined;
  const path = resolve(io.cwd, recording);
  if (!existsSync(path)) throw new Failure('notFound', `there is no file '${recording}'`);
  return path;
}

async function openFile(path: string) {
  const { openFileSource } = await import('@gatehouse/gateway/evidence/recordings/stores/disk-store');
  const source = await openFileSource(path);
  if (!source) throw new Failure('notFound', `there is no file '${path}'`);
  return source;
}

async function* outputHere(path: string): AsyncGenerator<PlayedOutput> {
  const { findFrames, readItems, UnreadableFrame } = await import(
    '@gatehouse/gateway/evidence/recordings/format/read-recording'
  );
  const source = await openFile(path);
  try {
    for await (const frame of findFrames(source))
      for (const item of await readItems(source, frame)) {
        if (item.type === 'output') yield { ms: item.ms, bytes: item.bytes };
        const line = statementLine(item.type === 'answered' ? { ...item.outcome, type: item.type } : item);
        if (line !== undefined) yield { ms: item.ms, bytes: Buffer.from(line) };
      }
  } catch (error) {
    throw error instanceof UnreadableFrame ? new Failure('failed', `it plays only so far: ${error.message}`) : error;
  } finally {
    await source.close();
  }
}

/** What is in the file: its facts name the kind of the resource. */
async function kindHere(path: string): Promise<string | undefined> {
  const { findFrames, readItems } = await import('@gatehouse/gateway/evidence/recordings/format/read-recording');
  const { factsOf, isKind } = await import('@gatehouse/contract/kinds/kinds');
  const source = await openFile(path);
  try {
    for await (const frame of findFrames(source)) {
      const [first] = await readItems(source, frame).catch(() => []);
      return first?.type === 'facts' && isKind(first.facts.kind) ? factsOf(first.facts.kind).recording : undefined;
    }
    return undefined;
  } finally {
    await source.close();
  }
}

async function* partsHere(path: string, as: NonNullable<ExportOptions['as']>): AsyncGenerator<string> {
  const [{ toAsciicast }, { toJsonLines, toSqlText }] = await Promise.all([
    import('@gatehouse/gateway/evidence/recordings/format/asciicast'),
    import('@gatehouse/gateway/evidence/recordings/format/statement-texts'),
  ]);
  const source = await openFile(path);
  try {
    if (as === 'sql') yield* toSqlText(source);
    else if (as === 'jsonl') yield* toJsonLines(source);
    else yield* toAsciicast(source);
  } finally {
    await source.close();
  }
}

/** Half of one must not be taken for all of it: said on standard error, and by the exit code. */
async function requireWhole(told: ToldVerdict | Promise<ToldVerdict>): Promise<void> {
  const verdict = await told;
  if (!verdict.ok) throw new Failure('failed', verdictText(verdict), verdict);
}

/** Without a key: whether it is all there and can be read, not who wrote it. */
async function checkFile(path: string, key?: string, sid?: string): Promise<ToldVerdict> {
  const { stateOf } = await import('@gatehouse/gateway/evidence/recordings/format/check-recording');
  const source = await openFile(path);
  try {
    const found = await stateOf(source, {
      ...(key === undefined ? {} : { keys: [key] }),
      ...(sid === undefined ? {} : { sid }),
    }).catch((error: unknown) => {
      throw new Failure('usage', `the key cannot be used: ${errorMessage(error)}`);
    });
    const { frames: checked, signedMs, problem, facts } = found;
    const ok = found.state === 'complete';
    return { sid: facts?.sid ?? sid ?? '', ok, checked, signedMs, ...(problem && !ok ? { problem } : {}) };
  } finally {
    await source.close();
  }
}

function factor(text: string): number {
  const speed = Number(text);
  if (!(speed >= 0.5 && speed <= 64)) throw new InvalidArgumentError('must be between 0.5 and 64.');
  return speed;
}
