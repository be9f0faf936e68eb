/** Tries each hop to an application one by one, with the means that sessions use, and tells what came of it. */
import type { Duplex } from 'node:stream';
import { dialAddress, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { APP_CHECK_STEPS, type AppCheckStep } from '@gatehouse/contract/kinds/app/apps';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { AppError } from '../../platform/std/app-error.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import { UpstreamConnection } from '../../reach/http/upstream-connection.ts';
import type { Reach } from '../../reach/reach.ts';
import { startTls } from '../../reach/tls/start-tls.ts';
import { appTarget, appTls } from './dial-app.ts';

export interface CheckedApp {
  uri: string;
  insecureSkipVerify: boolean;
  ca: string;
  serverName: string;
  /** Ids of agents. */
  ways: readonly string[];
}

export interface CheckDeps {
  reach: Pick<Reach, 'way' | 'dial'>;
  agents: Pick<AgentConnections, 'ping'>;
}

type StepName = AppCheckStep['step'];
type Outcome = { message: string; status?: 'ok' | 'warning'; next?: string };

const WITHIN_MS = 10_000;

export async function checkApp(
  { reach, agents }: CheckDeps,
  app: CheckedApp,
  who: { user: string; session: string },
): Promise<AppCheckStep[]> {
  const address = parseAppUri(app.uri)!;
  const isWeb = address.scheme === 'http' || address.scheme === 'https';
  const signal = AbortSignal.timeout(WITHIN_MS);
  const steps: AppCheckStep[] = [];
  const told = dialAddress(address);
  let failed = false;
  let stream: Duplex | undefined;

  const step = async (name: StepName, work: (() => Promise<Outcome>) | undefined, why = '') => {
    const began = performance.now();
    const ms = () => Math.round((performance.now() - began) * 10) / 10;
    if (failed || !work) {
      steps.push({
        step: name,
        status: 'skipped',
        message: failed ? 'not tried: the step before failed' : why,
        next: '',
        ms: 0,
      });
      return;
    }
    try {
      const { message, status = 'ok', next = '' } = await work();
      steps.push({ step: name, status, message, next, ms: ms() });
    } catch (error) {
      failed = true;
      steps.push({ step: name, status: 'failed', ...explain(error), ms: ms() });
    }
  };

  try {
    if (address.scheme === 'cloud' || address.kube) {
      const why = address.kube
        ? 'whoever opens it is led there in their own name: open it to try'
        : 'the console of a cloud is opened by the browser';
      for (const name of APP_CHECK_STEPS) await step(name, undefined, why);
      return steps;
    }
    const [first] = app.ways;
    await step(
      'agent',
      first === undefined
        ? undefined
        : async () => ({ message: `the agent answers in ${Math.max(1, Math.round(await agents.ping(first)))} ms` }),
      'the gateway dials by itself',
    );
    const dialledBy = first === undefined ? 'gateway' : 'agents';
    const target = { ...appTarget({ address, dialledBy, ways: app.ways, spec: app }), tls: undefined };
    let dial = () => reach.dial(target, { who, signal });
    await step(
      'resolve',
      first !== undefined
        ? undefined
        : async () => {
            const way = await reach.way(target, { who, signal });
            dial = () => way.dial();
            return { message: `${address.host} is ${way.addresses.join(', ')}` };
          },
      'the agent resolves the name in its own network',
    );
    await step('connect', async () => {
      stream = await dial();
      stream.on('error', () => {});
      return { message: `${told} takes connections` };
    });
    await step(
      'tls',
      address.scheme !== 'https'
        ? undefined
        : async () => {
            const socket = await startTls(stream!, appTls({ address, spec: app }), signal);
            stream = socket;
            const name = app.serverName || address.host;
            if (!app.insecureSkipVerify) return { message: `its certificate is good for ${name}` };
            return {
              status: 'warning',
              message: 'its certificate is not checked: anybody in between can read and change what passes',
              next: 'give its authority as CA instead',
            };
          },
      isWeb ? 'plain HTTP has none' : 'bytes are passed on as they are',
    );
    await step('http', isWeb ? () => askHttp(stream!, address.path, told) : undefined, 'TCP is not asked anything');
    return steps;
  } finally {
    stream?.destroy();
  }
}

function askHttp(stream: Duplex, path: string, host: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('it does not answer in time')), WITHIN_MS);
    const connection = new UpstreamConnection(stream, { onIdle() {}, onClose() {} });
    const head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\naccept: */*\r\nuser-agent: gatehouse-check\r\nconnection: close\r\n\r\n`;
    connection.send(head, 'GET', 'none', {
      onHead({ status }) {
        clearTimeout(timer);
        const isOurs = status < 500;
        resolve({
          status: isOurs ? 'ok' : 'warning',
          message: `it answers with ${status}`,
          ...(isOurs ? {} : { next: 'look at the log of the application' }),
        });
      },
      onData: () => true,
      onEnd() {},
      onFault(fault) {
        clearTimeout(timer);
        reject(fault);
      },
    });
  });
}

function explain(error: unknown): { message: string; next: string } {
  const message = errorMessage(error);
  const next = error instanceof AppError && typeof error.fields?.next === 'string' ? error.fields.next : '';
  return { message, next };
}
