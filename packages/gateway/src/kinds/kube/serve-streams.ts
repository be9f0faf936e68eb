/** Serves exec, attach and port-forward of programs, in whichever way each side speaks. */
import { randomUUID } from 'node:crypto';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { Terminals } from '../../sessions/terminal/terminals.ts';
import {
  acceptExec,
  acceptForward,
  type KubeClient,
  readUpgrade,
  requireHere,
} from './engine/streams/client-upgrade.ts';
import { channelsOf, readExecRequest } from './engine/streams/exec-request.ts';
import { forwardPorts } from './engine/streams/forward-ports.ts';
import { podAction } from './exec-action.ts';
import type { KubeEntered } from './kube-calls.ts';
import type { KubeStreams } from './kube-door.ts';
import { KubeRefusal } from './kube-refusal.ts';
import { beginKubectlViewer, FIRST_SIZE } from './kubectl-viewer.ts';
import { endWith, type PlainExecDeps, requireProven, runPlainExec, type WantedExec } from './plain-exec.ts';
import { createPodExec } from './pod-exec.ts';
import { tellForward } from './session-audit.ts';
import { whileAllowed } from './while-allowed.ts';

export interface KubeStreamsDeps extends PlainExecDeps {
  terminals: Pick<Terminals, 'open'>;
  events: Pick<EventStream, 'write'>;
}

/** For the reason to be told. */
const LAST_WORDS_MS = 1_500;

export function createKubeStreams(deps: KubeStreamsDeps): KubeStreams {
  return async (entered, { request: raw, socket, rest }) => {
    const { use } = entered;
    const client: KubeClient = { raw, socket, rest };
    requireHere(client);
    socket.once('close', use.begin());
    // Also one that takes nothing any more, and would hear of no end.
    const unhear = whenAborted(use.signal, () => setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref());
    socket.once('close', unhear);
    if (entered.request.subresource === 'portforward') return await forward(deps, entered, client);
    // Whether somebody is idle is asked of the session that runs it.
    socket.once('close', use.hosted.parts.attach({ isBusy: () => true }));
    const kind = readUpgrade(raw, 'exec');
    const exec = readExecRequest(entered.request);
    const wanted: WantedExec = { entered, exec, client, kind, proveFactor: () => requireProven(entered) };
    return exec.tty ? await runOnTerminal(deps, wanted) : await runPlainExec(deps, wanted);
  };
}

async function runOnTerminal(deps: KubeStreamsDeps, wanted: WantedExec): Promise<void> {
  const { entered, exec, client, kind, proveFactor } = wanted;
  const { caller, address } = entered.use;
  const inner = createPodExec(deps.streams, entered, exec, kind.carrier);
  let terminal: Awaited<ReturnType<Terminals['open']>>;
  try {
    terminal = await deps.terminals.open({
      ...{ caller, address, requestId: entered.requestId, proveFactor },
      target: inner,
      size: FIRST_SIZE,
      request: randomUUID(),
    });
  } catch (error) {
    throw inner.refusal() ?? error;
  }
  endWith(entered, terminal.hosted);
  try {
    const accepted = await acceptExec(client, kind, channelsOf(exec));
    const { status, endInput } = inner;
    beginKubectlViewer({ terminal, client: accepted, caller, address, status, endInput });
  } catch (error) {
    terminal.hosted.finish({ cause: 'failed', message: 'the client did not open its streams' });
    // It has heard a yes already: there is nothing more to answer.
    client.socket.destroy(error instanceof Error ? error : undefined);
  }
}

/** A session as well, counted, listed and ended as those are: what passes is nobody's to read, so it is neither recorded nor joined. */
async function forward(deps: KubeStreamsDeps, entered: KubeEntered, client: KubeClient): Promise<void> {
  const { use, request, requestId } = entered;
  const { caller, address } = use;
  const { username, signInId } = caller;
  const kind = readUpgrade(client.raw, 'forward');
  const allowed = whileAllowed(entered);
  let hosted: HostedSession | undefined;
  try {
    const opened = await deps.host.open({
      ...{ caller, address, requestId, proveFactor: () => requireProven(entered) },
      action: podAction(use, { namespace: request.namespace, pod: request.name, container: '' }, 'portforward'),
      call: 'kubernetes portforward',
      nature: { cannotWait: true },
      request: randomUUID(),
      ...{ size: FIRST_SIZE, agent: undefined, recorded: false, interactive: false, command: 'port-forward' },
    });
    hosted = opened;
    opened.enter({ id: opened.id, username, signInId, address, mode: 'peer', onRemoved: (end) => opened.finish(end) });
    endWith(entered, opened);
    whenAborted(opened.signal, () => setTimeout(() => client.socket.destroy(), LAST_WORDS_MS).unref());
    client.socket.once('close', () => opened.finish({ cause: 'closed', message: 'the client left' }));
    const cluster = await deps.streams.forward(entered, kind.carrier);
    opened.connected();
    allowed.cutWith(() => cluster.stream.destroy());
    const forwarding = forwardPorts(await acceptForward(client, kind), cluster, {
      onConnection: (port, failure) =>
        void tellForward(deps.events, entered, { port, failure }).catch((error: unknown) =>
          deps.log.error({ error }, 'a forwarded port cannot be written to the log'),
        ),
      onBytes() {
        use.hosted.active(use.hosted.id);
        opened.active(opened.id);
      },
    });
    whenAborted(opened.signal, () => forwarding.close());
    allowed.cutWith(() => forwarding.close());
    void forwarding.closed.then((why) => {
      allowed.detach();
      opened.finish({ cause: 'closed', message: why ?? 'the client or the cluster closed it' });
    });
  } catch (error) {
    allowed.detach();
    const before = hosted?.end;
    hosted?.finish({ cause: 'failed', message: error instanceof Error ? error.message : 'it could not be opened' });
    throw before ? new KubeRefusal({ code: 403, message: before.message }) : error;
  }
}
