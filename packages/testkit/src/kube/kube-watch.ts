/** Watches of the small cluster: lines of events from a version on, bookmarks, and 410 where the version is too old. */
import type { ServerResponse } from 'node:http';
import { KubeFailure, type KubeObject, statusOf } from './kube-object.ts';
import type { KubeTarget } from './kube-path.ts';
import { type Form, printEvent } from './kube-print.ts';
import { type KubeStore, type StoreChange, type StoredObject, selects } from './kube-store.ts';
import { apiVersionOf, resourceName } from './kube-types.ts';

const BOOKMARK_MS = 60_000;
const DEFAULT_MS = 30 * 60_000;

export interface WatchOptions {
  response: ServerResponse;
  target: KubeTarget;
  form: Form;
  store: KubeStore;
  bookmarkMs?: number | undefined;
}

export function serveWatch({ response, target, form, store, bookmarkMs = BOOKMARK_MS }: WatchOptions): void {
  const { type, namespace, name, query } = target;
  const isSelected = selects(query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  const isMeant = (object: KubeObject) =>
    (namespace === '' || !type.namespaced || object.metadata.namespace === namespace) &&
    (name === '' || object.metadata.name === name) &&
    isSelected(object);
  if (query.get('sendInitialEvents') === 'true') {
    throw new KubeFailure(
      422,
      'Invalid',
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    );
  }
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version))
    throw new KubeFailure(400, 'BadRequest', `Invalid value: "${version}": invalid resource version`);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  response.flushHeaders();

  let isFirst = true;
  const send = (happened: string, stored: StoredObject) => {
    response.write(printEvent(form, type, happened, stored, isFirst));
    isFirst = false;
  };
  const tell = (change: StoreChange) => {
    if (change.of !== resourceName(type)) return;
    const is = isMeant(change.stored.object);
    const was = change.before !== undefined && isMeant(change.before.object);
    if (change.type === 'DELETED') {
      if (was) send('DELETED', change.stored);
    } else if (is) send(was ? 'MODIFIED' : 'ADDED', change.stored);
    // It has left what is watched: told as it was, with the version of now.
    else if (was && change.before !== undefined) send('DELETED', atVersion(change.before, String(change.revision)));
  };

  if (version === '' || version === '0') {
    for (const stored of store.list(type, type.namespaced ? namespace : ''))
      if (isMeant(stored.object)) send('ADDED', stored);
  } else {
    const missed = store.since(type, Number(version));
    if (missed === undefined) {
      const failure = new KubeFailure(410, 'Expired', `too old resource version: ${version} (${store.oldest})`);
      response.end(`${JSON.stringify({ type: 'ERROR', object: statusOf(failure) })}\n`);
      return;
    }
    for (const change of missed) tell(change);
  }

  const stop = store.onChange(tell);
  const wantsBookmarks = query.get('allowWatchBookmarks') === 'true';
  const bookmarks = wantsBookmarks
    ? setInterval(() => {
        const object = {
          kind: type.kind,
          apiVersion: apiVersionOf(type),
          metadata: { resourceVersion: String(store.revision), creationTimestamp: null },
        };
        send('BOOKMARK', { object: object as unknown as KubeObject, json: JSON.stringify(object) });
      }, bookmarkMs)
    : undefined;
  const seconds = Number(query.get('timeoutSeconds') ?? 0);
  const end = setTimeout(() => response.end(), seconds > 0 ? seconds * 1_000 : DEFAULT_MS);
  response.once('close', () => {
    stop();
    clearInterval(bookmarks);
    clearTimeout(end);
  });
}

function atVersion({ object }: StoredObject, version: string): StoredObject {
  const copy = { ...object, metadata: { ...object.metadata, resourceVersion: version } };
  return { object: copy, json: JSON.stringify(copy) };
}
