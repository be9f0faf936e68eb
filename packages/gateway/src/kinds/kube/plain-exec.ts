/** What runs in a pod without a terminal: commands of scripts, copies of files. Nobody can join it, so it waits for nobody either. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { collectAfter } from '@gatehouse/tunnel/shells/collect-garbage';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { ExecRecording } from '../../sessions/commands/exec-recording.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import type { SessionEnd } from '../../sessions/host/session-store.ts';
import { openRecording } from '../../sessions/open-recording.ts';
import type { TerminalRecorders } from '../../sessions/terminal/terminal-recorder.ts';
import type { ClusterStreams } from './cluster-streams.ts';
import { CUT_MS, type ExecChannels, finishExec } from './engine/streams/channels.ts';
import { acceptExec, type KubeClient, type StreamKind } from './engine/streams/client-upgrade.ts';
import { type Outcome, outcomeOf } from './engine/streams/exec-outcome.ts';
import { channelsOf, type ExecRequest } from './engine/streams/exec-request.ts';
import { readExecStatus } from './engine/streams/exec-status.ts';
import { commandLine, execAction } from './exec-action.ts';
import type { KubeEntered } from './kube-calls.ts';
import { KubeRefusal, statusBody } from './kube-refusal.ts';
import { FIRST_SIZE } from './kubectl-viewer.ts';

export interface PlainExecDeps {
  host: SessionHost;
  streams: ClusterStreams;
  /** Undefined: nothing is recorded. */
  recorder: TerminalRecorders | undefined;
  log: Log;
}

export interface WantedExec {
  entered: KubeEntered;
  exec: ExecRequest;
  client: KubeClient;
  kind: StreamKind;
  proveFactor(): Promise<void>;
}

/** Resolves when it is over; throws what is answered instead. */
export async function runPlainExec(deps: PlainExecDeps, wanted: WantedExec): Promise<void> {
  const { entered, exec, client, kind, proveFactor } = wanted;
  const { use, requestId } = entered;
  const { caller, address } = use;
  const { username, signInId } = caller;
  const hosted = await deps.host.open({
    ...{ caller, address, requestId, proveFactor },
    action: execAction(use, exec),
    call: 'kubernetes exec',
    nature: { cannotWait: true },
    request: randomUUID(),
    size: FIRST_SIZE,
    agent: undefined,
    recorded: deps.recorder?.isOn ?? false,
    interactive: false,
    isPrinted: true,
    command: commandLine(exec.command),
  });
  hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  endWith(entered, hosted);
  let cluster: ExecChannels | undefined;
  let accepted: ExecChannels | undefined;
  try {
    const options = { input: hosted.options.recordInput };
    const recording = new ExecRecording(hosted, await openRecording(deps.recorder, hosted, { options, log: deps.log }));
    hosted.traffic = () => recording.traffic;
    whenAborted(hosted.signal, () => recording.close(hosted.signal.reason as SessionEnd));
    cluster = await deps.streams.exec(entered, exec, kind.carrier);
    hosted.connected();
    accepted = await acceptExec(client, kind, channelsOf(exec));
    await carry(hosted, { client: accepted, cluster, recording });
  } catch (error) {
    cluster?.destroy();
    const before = hosted.end;
    hosted.finish({ cause: 'failed', message: error instanceof Error ? error.message : 'it could not be run' });
    if (accepted) {
      // It has heard a yes already: there is nothing more to answer.
      accepted.destroy();
      deps.log.error({ error, sessionId: hosted.id }, 'a command in a pod cannot be served');
      return;
    }
    throw before ? new KubeRefusal({ code: 403, message: before.message }) : error;
  }
}

/** Of the use that it is asked within: whoever came proved it then. */
export async function requireProven({ use }: KubeEntered): Promise<void> {
  if (use.hosted.session.mfa) return;
  throw new AppError('mfa_required', 'a role of yours asks for a second factor at every connection: connect again');
}

/** Over with the use it was asked within, and for the same reason. */
export function endWith({ use }: KubeEntered, hosted: HostedSession): void {
  const unhear = whenAborted(use.signal, () =>
    hosted.finish(use.hosted.end ?? { cause: 'closed', message: 'it is over' }),
  );
  whenAborted(hosted.signal, unhear);
}

interface Carried {
  client: ExecChannels;
  cluster: ExecChannels;
  recording: ExecRecording;
}

async function carry(hosted: HostedSession, { client, cluster, recording }: Carried): Promise<void> {
  let printed = 0;
  const held = new Set<Duplex>();
  const pass = (name: 'stdin' | 'stdout' | 'stderr', from: Duplex | undefined, to: Duplex | undefined) => {
    if (!from) return;
    const goOn = () => {
      if (held.delete(from)) from.resume();
    };
    to?.on('drain', goOn);
    to?.once('close', goOn);
    from.on('data', (bytes: Buffer) => {
      if (hosted.end || !recording.keep(name, bytes)) return;
      hosted.active(hosted.id);
      // Read, unmasked and sent on, each piece leaves memory outside of the heap.
      collectAfter(bytes.length);
      if (name !== 'stdin') printed += bytes.length;
      // What nobody wants to see is recorded all the same.
      if (!to || to.destroyed || to.writableEnded || to.write(bytes)) return;
      held.add(from);
      from.pause();
    });
  };
  const [here, there] = [client.streams, cluster.streams];
  pass('stdin', here.stdin, there.stdin);
  here.stdin?.once('end', () => there.stdin?.end());
  const outcome = outcomeOf(cluster, { printed: () => printed, isHeld: () => held.size > 0 });
  pass('stdout', there.stdout, here.stdout);
  pass('stderr', there.stderr, here.stderr);
  void client.closed.then(() => hosted.finish({ cause: 'closed', message: 'the client left' }));
  const over = new Promise<undefined>((resolve) => whenAborted(hosted.signal, () => resolve(undefined)));
  const ended = await Promise.race([outcome, over]);
  if (ended) hosted.finish(endOf(ended));
  cluster.destroy();
  const { message } = hosted.end ?? { message: 'it is over' };
  const status =
    ended && ended.status.length > 0 ? ended.status : statusBody(new KubeRefusal({ code: 403, message }).status);
  await finishExec(client, status, ended ? undefined : CUT_MS);
}

function endOf({ status, lost }: Outcome): SessionEnd {
  const told = readExecStatus(status);
  if (told?.code !== undefined)
    return {
      cause: 'exited',
      message: told.code === 0 ? 'the command ended' : `the command ended with status ${told.code}`,
      exitCode: told.code,
    };
  return { cause: 'target_lost', message: told ? `the cluster ended it: ${told.message}` : (lost ?? 'it was lost') };
}
