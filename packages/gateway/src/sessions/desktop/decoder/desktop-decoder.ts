/** The gateway's end of the way to a process that draws desktops: started when it is needed, ended when it is not, hangs or fails. */
import { type ChildProcess, fork } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { Silence } from '../../../platform/std/silence.ts';
import { workerUrl } from '../../../platform/std/worker-url.ts';
import { WorkerCalls } from '../../../platform/threads/worker-calls.ts';
import type { PictureSize } from '../desktop-recorder.ts';
import { type DrawnPicture, type PictureForm, packPdus, type ToDecoder } from './decoder-messages.ts';
import { readFromDecoder } from './read-decoder.ts';

const SILENCE_MS = 30_000;
/** To start it takes a second and a half. */
const REST_MS = 30_000;
const MAX_HEAP_MEGABYTES = 192;
/** Each takes some tens of megabytes. */
const MAX_PICTURES = 8;
/**
 * Behind the gateway itself, as it draws what hosts like. Not at the end of everything: beside programs that are never idle it would draw
 * nothing at all, be taken for hung, and take the sessions with it that it is the client of.
 */
const STEPS_BACK = { waitedFor: 5, background: 10 } as const;

type WithoutId<T> = T extends unknown ? Omit<T, 'id' | 'picture'> : never;

/** One desktop that is drawn. Whatever is called rejects once its process is gone: then all of it has to be begun again. */
export interface DrawnDesktop {
  /** A client that knows nothing: what follows begins with a handshake. */
  begin(size: PictureSize, protocol?: 'rdp' | 'vnc'): Promise<void>;
  /** As a recording keeps them: of RDP whole PDUs. */
  feed(pdus: readonly Buffer[]): Promise<void>;
  look(form: PictureForm): Promise<DrawnPicture>;
  close(): void;
}

/** One that speaks with its host: what it says has to get there. */
export interface DesktopClient extends DrawnDesktop {
  /** The person's clipboard. */
  copy(text: string): Promise<void>;
}

/** What comes of it by itself. As hostile as the host that it draws. */
export interface DesktopVoice {
  said(bytes: Buffer): void;
  copied(text: string): void;
}

export interface DesktopDecoder {
  open(): DrawnDesktop;
  openClient(voice: DesktopVoice): DesktopClient;
  close(): Promise<void>;
}

/** It may read its own code, and write, start and load nothing: the one folder of the bundle, or in a clone what is imported. */
export function decoderArguments(script: string): string[] {
  const readable = codeOf(script).map((path) => `--allow-fs-read=${path}`);
  return ['--permission', ...readable, '--no-warnings', `--max-old-space-size=${MAX_HEAP_MEGABYTES}`];
}

function codeOf(script: string): string[] {
  if (!script.endsWith('.ts')) return [dirname(script)];
  const root = resolve(dirname(script), '../../../../../..');
  return ['packages', 'node_modules', 'package.json'].map((name) => join(root, name));
}

export function forkDecoder(stepsBack: number): ChildProcess {
  const script = fileURLToPath(workerUrl('decoder-process', import.meta.url));
  return fork(script, [String(stepsBack)], {
    // Neither keys nor addresses of ours are anything to it.
    env: {},
    execArgv: decoderArguments(script),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

export interface DesktopDecoderOptions {
  log: Log;
  /** Nobody waits for what it draws. */
  isBackground?: boolean;
  startProcess?: (stepsBack: number) => ChildProcess;
}

export function createDesktopDecoder({
  log,
  isBackground = false,
  startProcess = forkDecoder,
}: DesktopDecoderOptions): DesktopDecoder {
  const calls = new WorkerCalls<DrawnPicture | undefined>();
  const open = new Map<number, DesktopVoice | undefined>();
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  let lastPicture = 0;
  let isClosed = false;
  let rest: NodeJS.Timeout | undefined;
  const silence = new Silence({
    silenceMs: SILENCE_MS,
    isBusy: () => calls.size > 0,
    onHung: () => {
      log.warn({}, 'the process that draws desktops hangs and is ended');
      child?.kill('SIGKILL');
    },
  });

  const start = (): ChildProcess => {
    const started = startProcess(isBackground ? STEPS_BACK.background : STEPS_BACK.waitedFor);
    started.on('message', (said: unknown) => {
      const message = readFromDecoder(said);
      if (!message) {
        log.warn({}, 'the process that draws desktops says what it never would, and is ended');
        started.kill('SIGKILL');
        return;
      }
      silence.heard();
      if (message.type === 'done') calls.resolve(message.id, message.drawn);
      else if (message.type === 'failed') calls.reject(message.id, new Error(message.reason));
      else if (message.type === 'said') open.get(message.picture)?.said(Buffer.from(message.bytes));
      else open.get(message.picture)?.copied(message.text);
    });
    started.on('error', (error) => log.warn({ error }, 'the process that draws desktops failed'));
    exited = new Promise((resolve) => {
      started.once('exit', () => {
        silence.stop();
        if (child === started) child = undefined;
        calls.rejectAll(new Error('the process that draws desktops ended'));
        resolve();
      });
    });
    started.unref();
    started.channel?.unref();
    return started;
  };

  const ask = (picture: number, message: WithoutId<ToDecoder>): Promise<DrawnPicture | undefined> => {
    if (isClosed) return Promise.reject(new AppError('unavailable', 'the gateway is closing'));
    child ??= start();
    const asked = child;
    // What is asked beside something that hangs is no sign of life.
    if (calls.size === 0) silence.heard();
    return calls.call((id) => asked.send({ ...message, id, picture } satisfies ToDecoder));
  };

  const restLater = () => {
    clearTimeout(rest);
    if (open.size > 0) return;
    rest = setTimeout(() => {
      if (open.size === 0) child?.kill();
    }, REST_MS).unref();
  };

  const openOne = (voice: DesktopVoice | undefined): DesktopClient => {
    if (open.size >= MAX_PICTURES)
      throw new AppError('too_many', 'too many desktops are drawn by the gateway: try again in a moment');
    lastPicture += 1;
    const picture = lastPicture;
    open.set(picture, voice);
    clearTimeout(rest);
    /** The process that has what was fed so far. */
    let home: ChildProcess | undefined;
    const inHome = (message: WithoutId<ToDecoder>) =>
      home === undefined || home !== child
        ? Promise.reject(new Error('the process that draws desktops ended'))
        : ask(picture, message);
    return {
      async begin(size, protocol = 'rdp') {
        const begun = ask(picture, { type: 'begin', size, protocol, speaks: voice !== undefined });
        home = child;
        await begun;
      },
      async feed(pdus) {
        await inHome({ type: 'feed', bytes: packPdus(pdus) });
      },
      async look(form) {
        const drawn = await inHome({ type: 'look', form });
        if (!drawn) throw new Error('there is no picture');
        // It is gone through point by point: one that is larger than its bytes would take all memory, and be over never.
        if (form.as === 'raw' && drawn.bytes.length !== drawn.width * drawn.height * 4)
          throw new Error('the picture is not as large as it is said to be');
        return drawn;
      },
      async copy(text) {
        await inHome({ type: 'copy', text });
      },
      close() {
        if (!open.delete(picture)) return;
        inHome({ type: 'close' }).catch(() => {});
        restLater();
      },
    };
  };

  return {
    open: () => openOne(undefined),
    openClient: openOne,
    async close() {
      isClosed = true;
      clearTimeout(rest);
      silence.stop();
      child?.kill();
      await exited;
    },
  };
}
