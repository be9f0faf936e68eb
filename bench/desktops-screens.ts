/** Two clients of one desktop that are measured alike: a page on the gateway, and a program straight at the host. Both tell when the pixel that is watched changes. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { DesktopReply, DesktopRequest } from '@gatehouse/contract/sessions/desktop-frames';
import type { FromSocketPage, ToSocketPage } from '@gatehouse/gateway/testing/desktop/socket-page-process';
import type { Tab } from '@gatehouse/gateway/testing/sessions/terminal-client';
import type { TestXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { WATCHED } from './desktops-drawing.ts';

export const SIZE = { width: 1280, height: 800 };
const PATIENCE_MS = 40_000;

export interface Change {
  colour: number;
  /** By the clock that all processes share. */
  at: number;
}

export const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** What both have. */
export abstract class Screen {
  readonly changes: Change[] = [];
  #onChange: (() => void) | undefined;

  protected changed(change: Change): void {
    this.changes.push(change);
    this.#onChange?.();
  }

  /** The first that fits, from now on. */
  next(fits: (change: Change) => boolean = () => true, patienceMs = PATIENCE_MS): Promise<Change> {
    const from = this.changes.length;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('nothing has changed on the screen')), patienceMs);
      this.#onChange = () => {
        const found = this.changes.slice(from).find(fits);
        if (!found) return;
        clearTimeout(timer);
        this.#onChange = undefined;
        resolve(found);
      };
    });
  }

  abstract press(): void;
  abstract close(): Promise<void>;
}

/** Of the space key. */
const SPACE_SCANCODE = 0x39;

export class PageScreen extends Screen {
  readonly #child: ChildProcess;
  readonly told: { reply: DesktopReply; at: number }[] = [];
  openedAt = 0;

  private constructor(child: ChildProcess) {
    super();
    this.#child = child;
  }

  /** With its client loaded, and nothing opened. */
  static async load(): Promise<PageScreen> {
    const file = new URL('../packages/gateway/testing/desktop/socket-page-process.ts', import.meta.url);
    const child = fork(file, [], { serialization: 'advanced' });
    await once(child, 'message');
    const page = new PageScreen(child);
    child.on('message', (message: FromSocketPage) => {
      if (message.type === 'changed') page.changed(message);
      else if (message.type === 'told') {
        page.told.push(message);
        if (message.reply.type === 'refused') console.error(`     ${message.reply.message}`);
      } else if (message.type === 'ended') console.error(`     ${message.reason}`);
    });
    return page;
  }

  open(tab: Tab, request: DesktopRequest): void {
    const url = tab.url.replace(/[^/]*$/, 'desktop');
    this.openedAt = clockMs();
    this.#say({ type: 'open', url, headers: tab.headers, token: tab.token, request, watch: WATCHED });
  }

  get sid(): string {
    for (const { reply } of this.told) if (reply.type === 'state') return reply.sid;
    throw new Error('no session was opened');
  }

  press(): void {
    this.#say({ type: 'key', code: SPACE_SCANCODE });
  }

  /** The session as well, as who leaves by its button does. */
  async end(): Promise<void> {
    this.#say({ type: 'tell', command: { type: 'end' } });
    for (const ends = clockMs() + 5_000; clockMs() < ends && !this.told.some(({ reply }) => reply.type === 'ended'); )
      await sleep(20);
    await this.close();
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }

  #say(message: ToSocketPage): void {
    this.#child.send(message);
  }
}

/** As a page has it: RemoteFX and no clipboard. */
export function freerdpWords({ addr, user, password }: TestXrdp): string[] {
  const words = [`/v:${addr}`, `/u:${user}`, `/p:${password}`, `/size:${SIZE.width}x${SIZE.height}`, '/bpp:32'];
  return [...words, '/rfx', '/cert:ignore', '-grab-keyboard', '-clipboard', '/log-level:OFF'];
}

export class StraightScreen extends Screen {
  readonly #folder: string;
  readonly #xvfb: ChildProcess;
  readonly #keys: ChildProcess;
  readonly #client: ChildProcess;
  readonly #watch: Worker;
  readonly openedAt: number;

  private constructor(parts: { folder: string; xvfb: ChildProcess; keys: ChildProcess; client: ChildProcess }) {
    super();
    this.#folder = parts.folder;
    this.#xvfb = parts.xvfb;
    this.#keys = parts.keys;
    this.#client = parts.client;
    this.openedAt = clockMs();
    this.#watch = new Worker(new URL('./desktops-screen-watch.ts', import.meta.url), {
      workerData: { file: join(parts.folder, 'Xvfb_screen0'), ...WATCHED },
    });
    this.#watch.on('message', (change: Change) => this.changed(change));
  }

  /** A program that shows the host on a screen of its own. */
  static async open(program: string, words: readonly string[]): Promise<StraightScreen> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-screen-'));
    const { width, height } = SIZE;
    const screen = ['-screen', '0', `${width}x${height}x24`, '-fbdir', folder, '-nolisten', 'tcp'];
    const xvfb = spawn('Xvfb', ['-displayfd', '3', ...screen], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    const [number] = (await once(xvfb.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
    const env = { ...process.env, DISPLAY: `:${number.toString().trim()}` };
    const client = spawn(program, words, { env, stdio: 'ignore' });
    const keys = spawn('xdotool', ['-'], { env, stdio: ['pipe', 'ignore', 'ignore'] });
    return new StraightScreen({ folder, xvfb, keys, client });
  }

  press(): void {
    this.#keys.stdin?.write('key space\n');
  }

  /** Of programs that hear no key before that. */
  focus(title: string): void {
    this.#keys.stdin?.write(`search --onlyvisible --name ${title} windowfocus\n`);
  }

  async close(): Promise<void> {
    await this.#watch.terminate();
    for (const child of [this.#keys, this.#client, this.#xvfb]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
