/** `gatehouse audit`: take the audit log out, follow it, and prove that nothing was changed. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditState, SignedCheckpoint } from '@gatehouse/contract/audit/search';
import { printable } from '@gatehouse/contract/std/printable';
import { visibleJson } from '@gatehouse/contract/std/visible-json';
import type { Send } from '@gatehouse/contract/wire/client';
import { type Command, Option } from 'commander';
import { addCommand, addGroup, type CommandDeps, type Io, print } from '../command.ts';
import { addGatewayFlags, anyGateway, CURRENT, type GatewayOptions } from '../gateway/resolve-gateway.ts';
import { addEventFlags, type EventFlags, eventQuery, timeGiven } from '../input/audit-flags.ts';
import { parseDurationSeconds } from '../input/duration.ts';
import { readGiven } from '../input/read-files.ts';
import { signingTrouble, stateText } from '../output/audit-state-text.ts';
import { Failure } from '../runtime/failure.ts';

/** Those of one call: a page of five thousand takes the gateway some tens of milliseconds. */
const PAGE = '5000';
const WAIT_SECONDS = 20;

type Out = 'jsonl' | 'csv' | 'lines';

interface ExportOptions extends GatewayOptions, EventFlags {
  as: Out;
  order: 'asc' | 'desc';
}

interface TailOptions extends GatewayOptions, EventFlags {
  as: Out;
  for?: number;
}

interface VerifyOptions extends GatewayOptions {
  from?: string;
  to?: string;
  key?: string;
  checkpoint?: string;
  file?: string;
}

export function addAuditCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'audit',
    summary: 'Export, follow and verify the audit log.',
    examples: ['gatehouse audit tail', 'gatehouse audit export --from 7d > events.jsonl', 'gatehouse audit verify'],
  });
  const command = (facts: Parameters<typeof addCommand>[1]) => addGatewayFlags(addCommand(group, facts), configFlags);
  const as = (standard: Out) =>
    new Option('--as <form>', 'jsonl with proofs, csv for spreadsheets, or lines for people')
      .choices(['jsonl', 'csv', 'lines'])
      .default(standard);

  addEventFlags(
    command({
      name: 'export',
      summary: 'Print the events of a time range: the last month unless told.',
      examples: [
        'gatehouse audit export --from 2026-01-01T00:00:00Z > events.jsonl',
        'gatehouse audit export --from 7d --user ann --as csv > ann.csv',
      ],
    }),
  )
    .addOption(as('jsonl'))
    .addOption(new Option('--order <order>', 'oldest or newest first').choices(['asc', 'desc']).default('asc'))
    .action(async (options: ExportOptions) => {
      const { call, eventRoutes, send } = await connect(options);
      const { head, line } = await writer(options.as);
      io.stdout(head);
      const proof = options.as === 'jsonl' ? 'yes' : '';
      const query = { ...eventQuery(options), order: options.order, limit: PAGE, proof } as const;
      for (let startKey = ''; ; ) {
        const page = await call(send, eventRoutes.search, { params: CURRENT, query: { ...query, startKey } });
        io.stdout(page.events.map(line).join(''));
        if (page.startKey === '') return;
        startKey = page.startKey;
      }
    });

  addEventFlags(
    command({
      name: 'tail',
      summary: 'Print events as they happen, until interrupted.',
      examples: ['gatehouse audit tail', 'gatehouse audit tail --severity warning,error --as jsonl'],
    }),
    { range: false },
  )
    .addOption(as('lines'))
    .addOption(new Option('--for <duration>', 'stop after this long').argParser(parseDurationSeconds))
    .action(async (options: TailOptions) => {
      const { call, eventRoutes, send } = await connect(options);
      const { head, line } = await writer(options.as);
      const until = options.for === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.for * 1000;
      const { from: _from, to: _to, ...filter } = eventQuery(options);
      io.stdout(head);
      let { after } = await call(send, eventRoutes.tail, { params: CURRENT });
      while (Date.now() < until) {
        const left = Math.min(WAIT_SECONDS, Math.ceil((until - Date.now()) / 1000));
        const query = { ...filter, after, limit: PAGE, waitSeconds: String(left) };
        const found = await call(send, eventRoutes.tail, { params: CURRENT, query });
        io.stdout(found.events.map(line).join(''));
        after = found.after;
      }
    });

  command({
    name: 'verify',
    summary:
      'Check that events are as they were written: by the gateway, or here with a key and a checkpoint you hold.',
    examples: [
      'gatehouse audit verify',
      'gatehouse audit verify --from 24h --key audit.pem --checkpoint checkpoint.json',
      'gatehouse audit verify --file events.jsonl --key audit.pem --checkpoint checkpoint.json',
    ],
  })
    .option('--from <time>', 'from this time on, or so long ago; from the beginning unless told')
    .option('--to <time>', 'up to this time')
    .option('--key <file>', 'check here, trusting only this public key')
    .option('--checkpoint <file>', 'a checkpoint you hold; the gateway’s newest unless told')
    .option('--file <file>', 'check an export, or what a sink was given, instead of a gateway; - for standard input')
    .action(async (options: VerifyOptions) => {
      const verdict =
        options.file !== undefined || options.key !== undefined || options.checkpoint !== undefined
          ? await verifyHere(io, options, connect)
          : await verifyThere(options);
      const { ok, checked, problem, checkpoint } = verdict;
      const reach = checkpoint ? `, held against checkpoint ${checkpoint.number} of ${checkpoint.time}` : '';
      const unproven = verdict.anchored ? '' : '; no checkpoint covers their end yet, so a cut there would not show';
      if (!ok)
        throw new Failure('failed', problem?.reason ?? 'the log is not intact', { checked, problem, checkpoint });
      const trouble = verdict.state ? signingTrouble(verdict.state) : '';
      print(io, options.format, verdict, `${checked} events are as they were written${reach}${unproven}\n${trouble}`);
    });

  command({
    name: 'state',
    summary: 'Tell how the log is: whether it is signed, what waits, and which sinks do not take events.',
    examples: ['gatehouse audit state'],
  }).action(async (options: GatewayOptions) => {
    const { call, eventRoutes, send } = await connect(options);
    const state = await call(send, eventRoutes.state, { params: CURRENT });
    print(io, options.format, state, stateText(state));
  });

  command({
    name: 'key',
    summary: 'Print the public key that checkpoints are signed with. Keep it where the gateway cannot change it.',
    examples: ['gatehouse audit key > audit.pem'],
  }).action(async (options: GatewayOptions) => {
    const { call, eventRoutes, send } = await connect(options);
    const { publicKey, earlierKeys = [] } = await call(send, eventRoutes.key, { params: CURRENT });
    print(io, options.format, { publicKey, earlierKeys }, [publicKey, ...earlierKeys].join(''));
  });

  command({
    name: 'checkpoint',
    summary: 'Print the newest signed checkpoint: whoever keeps one can prove a later change or cut.',
    examples: ['gatehouse audit checkpoint > checkpoint.json'],
  }).action(async (options: GatewayOptions) => {
    const { call, eventRoutes, send } = await connect(options);
    const { checkpoint } = await call(send, eventRoutes.key, { params: CURRENT });
    if (!checkpoint) throw new Failure('notFound', 'nothing was signed yet: the first checkpoint comes after a minute');
    io.stdout(`${visibleJson(checkpoint)}\n`);
  });

  async function connect(options: GatewayOptions) {
    const [{ call }, { eventRoutes }, send] = await Promise.all([
      import('@gatehouse/contract/wire/client'),
      import('@gatehouse/contract/audit/search'),
      anyGateway(io, options),
    ]);
    return { call, eventRoutes, send };
  }

  /** The gateway's own word for it; long ranges take several calls. */
  async function verifyThere(options: VerifyOptions): Promise<Verdict> {
    const { call, eventRoutes, send } = await connect(options);
    const query = { from: timeGiven(options.from), to: timeGiven(options.to) };
    let checked = 0;
    for (let startKey = ''; ; ) {
      const verdict = await call(send, eventRoutes.verify, { params: CURRENT, query: { ...query, startKey } });
      checked += verdict.checked;
      if (!verdict.ok) return { ...verdict, checked, anchored: true };
      if (verdict.startKey === '')
        return { ...verdict, checked, anchored: true, state: await call(send, eventRoutes.state, { params: CURRENT }) };
      startKey = verdict.startKey;
    }
  }
}

interface Verdict {
  ok: boolean;
  checked: number;
  anchored: boolean;
  problem?: { chain: string; index: number; reason: string };
  checkpoint?: { number: number; time: string };
  /** Of the gateway's own log: what is written from now on may have no signature. */
  state?: AuditState;
}

type Connect = (options: GatewayOptions) => Promise<{
  call: typeof import('@gatehouse/contract/wire/client').call;
  eventRoutes: typeof import('@gatehouse/contract/audit/search').eventRoutes;
  send: Send;
}>;

async function verifyHere(io: Io, options: VerifyOptions, connect: Connect): Promise<Verdict> {
  const { ExportVerifier } = await import('@gatehouse/gateway/evidence/audit-log/verify-export');
  const publicKey = options.key === undefined ? undefined : await readGiven(io, options.key);
  const held = options.checkpoint === undefined ? undefined : await readCheckpoint(io, options.checkpoint);
  const isPart = options.from !== undefined;
  if (options.file !== undefined) {
    const verifier = new ExportVerifier({ publicKey, checkpoint: held, isPart });
    await eachLine(io, options.file, (line) => verifier.add(line) === undefined);
    return verifier.end();
  }
  const { call, eventRoutes, send } = await connect(options);
  const newest = held ?? (await call(send, eventRoutes.key, { params: CURRENT })).checkpoint ?? undefined;
  const verifier = new ExportVerifier({ publicKey, checkpoint: newest, isPart });
  // Up to now even when less is asked for: only the signed end proves what lies before it.
  const query = {
    from: timeGiven(options.from) ?? '1970-01-01T00:00:00Z',
    order: 'asc',
    limit: PAGE,
    proof: 'yes',
  } as const;
  for (let startKey = ''; ; ) {
    const page = await call(send, eventRoutes.search, { params: CURRENT, query: { ...query, startKey } });
    const isWhole = page.events.every((event) => verifier.add(JSON.stringify(event)) === undefined);
    if (!isWhole || page.startKey === '') return verifier.end();
    startKey = page.startKey;
  }
}

async function readCheckpoint(io: Io, file: string): Promise<SignedCheckpoint> {
  const { signedCheckpoint } = await import('@gatehouse/contract/audit/search');
  try {
    return signedCheckpoint.parse(JSON.parse(await readGiven(io, file)));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('usage', `'${file}' is no checkpoint: get one with gatehouse audit checkpoint`);
  }
}

/** Stops when told that the rest does not matter. */
async function eachLine(io: Io, file: string, take: (line: string) => boolean): Promise<void> {
  const input = file === '-' ? process.stdin : createReadStream(resolve(io.cwd, file));
  if (file !== '-') {
    await once(input, 'open').catch((error: Error) => {
      throw new Failure('usage', `the file '${file}' cannot be read: ${error.message}`);
    });
  }
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!take(line)) break;
  }
  input.destroy();
}

async function writer(as: Out): Promise<{ head: string; line: (event: unknown) => string }> {
  if (as === 'jsonl') return { head: '', line: (event) => `${visibleJson(event)}\n` };
  if (as === 'csv') {
    const { CSV_HEAD, csvLine } = await import('@gatehouse/contract/audit/csv');
    return { head: CSV_HEAD, line: csvLine };
  }
  const { tellEvent } = await import('@gatehouse/contract/audit/tell-event');
  return {
    head: '',
    line: (event) => {
      const { time, severity, code, message } = tellEvent(event);
      return `${time}  ${severity.padEnd(7)}  ${code.padEnd(7)}  ${printable(message)}\n`;
    },
  };
}
