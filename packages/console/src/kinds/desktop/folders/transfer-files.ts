/** The transfer folder as this page has it: opened when first needed, files put into it a few at a time, and what the desktop gives back. */
import type { DesktopCommand, DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { readError } from '@gatehouse/contract/wire/client';
import type { SendBytes } from '../../../platform/api/send-bytes.ts';
import type { ChosenFile } from '../../../shared/files/dropped-files.ts';

const AT_ONCE = 3;
/** A gateway answers at once, where the line is good. */
export const MAX_TICKET_MS = 20_000;

export interface UploadView {
  id: number;
  name: string;
  size: number;
  sent: number;
  state: 'waiting' | 'running' | 'done' | 'failed';
  /** Why it stopped; undefined: the connection was lost. */
  why?: string | undefined;
}

type TransferReply = Extract<DesktopReply, { type: 'transfer' }>;

export interface TransferView extends Pick<TransferReply, 'is' | 'files' | 'more' | 'freeBytes' | 'why'> {
  uploads: readonly UploadView[];
}

export const NO_TRANSFER: TransferView = { is: 'off', files: [], more: 0, freeBytes: 0, uploads: [] };

export interface TransferDeps {
  /** False: there is no line at this moment. */
  tell(command: Extract<DesktopCommand, { type: 'transfer' | 'upload' | 'download' }>): boolean;
  sendBytes: SendBytes;
  /** Lets the browser save what is at an address. */
  save(url: string): void;
  view(): TransferView;
  change(view: TransferView): void;
}

export interface TransferFiles {
  open(): void;
  close(): void;
  put(files: readonly ChosenFile[]): void;
  again(id: number): void;
  /** Given up, or not shown any longer. */
  drop(id: number): void;
  /** Gives why it cannot; undefined where the browser downloads it. */
  download(path: string): Promise<string | undefined>;
  /** The line is there, again. */
  lineOpened(): void;
  hear(told: TransferReply | Extract<DesktopReply, { type: 'ticket' }>): void;
  stop(): void;
}

type Ticket = { url: string } | { why: string | undefined };

export function createTransferFiles(deps: TransferDeps): TransferFiles {
  const chosen = new Map<number, { file: File; stop: AbortController }>();
  const asked = new Map<number, (ticket: Ticket) => void>();
  let last = 0;

  const change = (part: Partial<TransferView>) => deps.change({ ...deps.view(), ...part });
  /** Why it was not before says nothing any more. */
  const stand = (part: Partial<TransferView>) => {
    const { why: _, ...before } = deps.view();
    deps.change({ ...before, ...part });
  };
  const changeUpload = (id: number, part: Partial<UploadView>) =>
    change({ uploads: deps.view().uploads.map((each) => (each.id === id ? { ...each, ...part } : each)) });

  const ticketFor = (command: Parameters<TransferDeps['tell']>[0] & { id: number }) =>
    new Promise<Ticket>((resolve) => {
      const timer = setTimeout(() => answer({ why: undefined }), MAX_TICKET_MS);
      const answer = (ticket: Ticket) => {
        clearTimeout(timer);
        asked.delete(command.id);
        resolve(ticket);
      };
      asked.set(command.id, answer);
      if (!deps.tell(command)) answer({ why: undefined });
    });

  const begin = () => {
    if (deps.view().is === 'on' || deps.view().is === 'asking') return;
    if (deps.tell({ type: 'transfer', isOn: true })) stand({ is: 'asking' });
  };

  const fill = () => {
    const { is, uploads } = deps.view();
    if (is !== 'on') return;
    const running = uploads.filter(({ state }) => state === 'running').length;
    for (const { id } of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, AT_ONCE - running)))
      void run(id);
  };

  const run = async (id: number) => {
    const found = chosen.get(id);
    const upload = deps.view().uploads.find((each) => each.id === id);
    if (!found || !upload) return;
    const { file, stop } = found;
    changeUpload(id, { state: 'running', sent: 0, why: undefined });
    const failure = await send(upload, file, stop.signal);
    if (chosen.get(id) !== found) return;
    if (failure) changeUpload(id, { state: 'failed', why: failure.why });
    else {
      chosen.delete(id);
      changeUpload(id, { state: 'done', sent: file.size });
    }
    fill();
  };

  /** Gives why not. */
  const send = async ({ id, name }: UploadView, file: File, signal: AbortSignal) => {
    last += 1;
    const ticket = await ticketFor({ type: 'upload', id: last, name, size: file.size });
    if ('why' in ticket) return ticket;
    const request = { method: 'POST', url: ticket.url, body: file };
    const onProgress = (sent: number) => changeUpload(id, { sent: Math.min(file.size, sent) });
    try {
      const reply = await deps.sendBytes(request, { onProgress, signal });
      return reply.status === 200 ? undefined : { why: readError(reply, ticket.url).message };
    } catch {
      return { why: undefined };
    }
  };

  const failWaiting = (why: string | undefined) =>
    change({
      uploads: deps
        .view()
        .uploads.map((each) => (each.state === 'waiting' ? { ...each, state: 'failed' as const, why } : each)),
    });

  return {
    open: begin,
    close: () => void deps.tell({ type: 'transfer', isOn: false }),
    put(files) {
      const added = files.map(({ file, name }): UploadView => {
        last += 1;
        chosen.set(last, { file, stop: new AbortController() });
        return { id: last, name, size: file.size, sent: 0, state: 'waiting' };
      });
      change({ uploads: [...deps.view().uploads, ...added] });
      begin();
      if (deps.view().is === 'off') failWaiting(undefined);
      fill();
    },
    again(id) {
      const found = chosen.get(id);
      if (!found) return;
      chosen.set(id, { file: found.file, stop: new AbortController() });
      changeUpload(id, { state: 'waiting', why: undefined });
      begin();
      fill();
    },
    drop(id) {
      chosen.get(id)?.stop.abort();
      chosen.delete(id);
      change({ uploads: deps.view().uploads.filter((each) => each.id !== id) });
      fill();
    },
    async download(path) {
      last += 1;
      const ticket = await ticketFor({ type: 'download', id: last, path });
      if ('why' in ticket) return ticket.why ?? '';
      deps.save(ticket.url);
      return undefined;
    },
    lineOpened() {
      for (const answer of [...asked.values()]) answer({ why: undefined });
      // Where there is one, the gateway says so right after.
      if (deps.view().is !== 'off') stand({ is: 'off', files: [], more: 0, freeBytes: 0 });
    },
    hear(told) {
      if (told.type === 'ticket') {
        asked.get(told.id)?.(told.url === undefined ? { why: told.why } : { url: told.url });
        return;
      }
      const { is, files, more, freeBytes, why } = told;
      stand({ is, files, more, freeBytes, ...(why === undefined ? {} : { why }) });
      if (is === 'off' || is === 'refused') failWaiting(why);
      fill();
    },
    stop() {
      for (const { stop } of chosen.values()) stop.abort();
      chosen.clear();
    },
  };
}
