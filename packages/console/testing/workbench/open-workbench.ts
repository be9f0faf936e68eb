/** Opens the workbench in a test, on a gateway that says what the test tells it to. */
import { EditorView } from '@codemirror/view';
import { type EditorReply, type EditorRequest, editorRequest } from '@gatehouse/contract/kinds/db/editor';
import { act, screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import { DATABASES } from '../fake-databases.ts';
import { fakeGateway } from '../fake-gateway.ts';
import { FakeSocket } from '../fake-socket.ts';
import { openPage } from '../open-page.tsx';

export const ADDRESS = '/web/cluster/one/databases/shop/workbench?user=app';

type Done = Extract<EditorReply, { type: 'done' }>;
type Ready = Extract<EditorReply, { type: 'ready' }>;
type RequestOf<Type extends EditorRequest['type']> = Extract<EditorRequest, { type: Type }>;

export const READY: Ready = {
  type: 'ready',
  sid: 's-1',
  protocol: 'postgres',
  version: '15.14',
  dbUser: 'app',
  dbName: 'shop',
  readOnly: false,
  webRows: 1_000,
  mayExport: true,
  recorded: true,
  asks: false,
};

export const MS = { server: 3, gateway: 1 };

export async function openWorkbench(path = ADDRESS) {
  const gateway = fakeGateway();
  for (const database of DATABASES)
    gateway.answer(`GET /v1/webapi/sites/one/databases/${database.name}`, { body: database });
  const ledger = { ...DATABASES[1], name: 'ledger', protocol: 'sqlserver' };
  const letters = { ...DATABASES[1], name: 'letters', protocol: 'mongodb' };
  gateway.answer('GET /v1/webapi/sites/one/databases/letters', { body: letters });
  gateway.answer('GET /v1/webapi/sites/one/databases/ledger', { body: ledger });
  const lines: FakeSocket[] = [];
  const openSocket = (socketPath: string) => {
    const socket = new FakeSocket();
    if (socketPath.endsWith('/editor')) lines.push(socket);
    return socket as unknown as WebSocket;
  };
  const page = await openPage(path, { gateway, world: { openSocket } });
  const line = () => lines.at(-1) as FakeSocket;
  const hear = (reply: EditorReply) => act(async () => line().hear(reply));
  /** Those of the newest line, but the first two. */
  const sent = () =>
    line()
      .sent.slice(2)
      .map((message) => editorRequest.parse(message));
  const asked = async <Type extends EditorRequest['type']>(type: Type, at = -1): Promise<RequestOf<Type>> => {
    const all = () => sent().filter((request) => request.type === type);
    await waitFor(() => expect(all().at(at)).toBeTruthy());
    return all().at(at) as RequestOf<Type>;
  };
  const connect = async (ready: Partial<Ready> = {}) => {
    await waitFor(() => expect(lines.length).toBeGreaterThan(0));
    await act(async () => line().open());
    await hear({ ...READY, ...ready });
    await screen.findByText('Connected');
  };
  const hearAll = async (replies: readonly EditorReply[]) => {
    for (const reply of replies) await hear(reply);
  };
  return { ...page, lines, line, hear, hearAll, sent, asked, connect };
}

export type OpenBench = Awaited<ReturnType<typeof openWorkbench>>;

/** What one writes statements in: it lives in a shadow root. */
export function editor(): EditorView {
  const content = document.querySelector('[data-editor]')?.shadowRoot?.querySelector<HTMLElement>('.cm-content');
  const view = content && EditorView.findFromDOM(content);
  if (!view) throw new Error('the editor is not there yet');
  return view;
}

export const editorText = (): string => editor().state.doc.toString();

/** In place of what stands there; the cursor is at its end. */
export async function write(text: string): Promise<void> {
  await waitFor(editor);
  await act(async () => {
    const view = editor();
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
    });
  });
}

/** One result of so many rows: number, and a text. */
export function result(id: number, rows: (string | null)[][], more: Partial<Done> = {}): EditorReply[] {
  return [
    { type: 'columns', id, statement: 0, from: 0, to: 1_000, names: ['id', 'note'], types: ['integer', 'text'] },
    { type: 'rows', id, statement: 0, seq: 0, rows, cut: [] },
    done(id, { rows: rows.length, tag: `SELECT ${rows.length}`, ...more }),
  ];
}

export function done(id: number, more: Partial<Done> = {}): Done {
  return {
    ...{ type: 'done', id, statement: 0, left: 0, tag: 'OK', rows: 0, ms: MS, more: false, transaction: 'none' },
    ...more,
  } as Done;
}
