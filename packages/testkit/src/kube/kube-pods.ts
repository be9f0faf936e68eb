/** What a kubelet does, for the small cluster: pods become running, their programs are real processes, and their logs are kept. */
import { EventEmitter } from 'node:events';
import type { Json, JsonRecord, KubeObject } from './kube-object.ts';
import { at, KubeFailure, list, now, record, strings, text } from './kube-object.ts';
import { type KubeProcess, startProcess } from './kube-process.ts';
import type { KubeStore, StoreChange } from './kube-store.ts';
import type { KubeType, KubeTypes } from './kube-types.ts';

const MAX_LINES = 100_000;

export interface LogLine {
  time: string;
  text: string;
}

/** One container: what it has printed, and the program in it if its pod names one. */
export class KubeContainer extends EventEmitter<{
  line: [LogLine];
  output: [Buffer, 'stdout' | 'stderr'];
  exit: [number];
}> {
  readonly name: string;
  readonly tty: boolean;
  /** What is typed ends with the first who attaches. */
  readonly stdinOnce: boolean;
  /** Its image has the one program that it runs, and nothing beside it. */
  readonly isBare: boolean;
  lines: LogLine[] = [];
  /** Of the one before it was started anew. */
  previous: LogLine[] | undefined;
  process: KubeProcess | undefined;
  exitCode: number | undefined;
  #rest = '';
  constructor(name: string, { tty, stdinOnce, isBare }: { tty: boolean; stdinOnce: boolean; isBare: boolean }) {
    super();
    this.setMaxListeners(0);
    this.name = name;
    this.tty = tty;
    this.stdinOnce = stdinOnce;
    this.isBare = isBare;
  }

  print(line: string): void {
    const said = { time: new Date().toISOString().replace('Z', '000000Z'), text: line };
    this.lines.push(said);
    if (this.lines.length > MAX_LINES) this.lines.splice(0, MAX_LINES / 2);
    this.emit('line', said);
  }

  run(process: KubeProcess): void {
    this.process = process;
    for (const name of ['stdout', 'stderr'] as const) {
      process[name]?.on('data', (bytes: Buffer) => {
        this.emit('output', bytes, name);
        const lines = (this.#rest + bytes.toString()).split('\n');
        this.#rest = lines.pop() ?? '';
        for (const line of lines) this.print(line.replace(/\r$/, ''));
      });
    }
  }

  ended(code: number): void {
    if (this.#rest !== '') this.print(this.#rest);
    this.exitCode = code;
    this.emit('exit', code);
  }
}

export interface KubePods {
  /** Throws in the words of a server. The one container where there is only one. */
  container(namespace: string, pod: string, name: string): KubeContainer;
  /** As after a crash: its lines are those of the previous one, and its count of restarts grows. */
  restart(namespace: string, pod: string, name: string): void;
  stop(): void;
}

export function runPods(types: KubeTypes, store: KubeStore, folder: string): KubePods {
  const type = types.find('', 'v1', 'pods') as KubeType;
  const containers = new Map<string, KubeContainer>();
  const keyOf = (namespace: string, pod: string, name: string) => `${namespace}/${pod}/${name}`;

  const settle = (namespace: string, pod: string) => {
    if (!store.has(type, namespace, pod)) return;
    store.change(type, namespace, pod, (object) => {
      object.status = statusOf(object, (name) => containers.get(keyOf(namespace, pod, name)));
    });
  };

  const begin = async ({ metadata: { namespace = '', name: pod } }: KubeObject, spec: JsonRecord) => {
    const name = text(spec.name);
    const key = keyOf(namespace, pod, name);
    if (containers.has(key)) return;
    const container = new KubeContainer(name, {
      tty: spec.tty === true,
      stdinOnce: spec.stdinOnce === true,
      isBare: text(spec.image).includes('distroless'),
    });
    containers.set(key, container);
    const command = [...strings(spec.command), ...strings(spec.args)];
    const program = command.length === 0 && spec.stdin === true ? ['sh'] : command;
    if (program.length === 0) return;
    const env = Object.fromEntries(list(spec.env).map((each) => [text(at(each, 'name')), text(at(each, 'value'))]));
    try {
      const process = await startProcess({ command: program, folder, env, tty: container.tty });
      container.run(process);
      void process.exited.then((code) => {
        container.ended(code);
        settle(namespace, pod);
      });
    } catch (error) {
      container.print(error instanceof Error ? error.message : String(error));
      container.ended(128);
    }
  };

  const stopWatching = store.onChange(({ type: happened, of, stored: { object } }: StoreChange) => {
    if (of !== 'pods') return;
    const { namespace = '', name } = object.metadata;
    if (happened === 'DELETED') {
      for (const [key, container] of containers) {
        if (!key.startsWith(`${namespace}/${name}/`)) continue;
        container.process?.kill();
        containers.delete(key);
      }
      return;
    }
    const wanted = containersOf(object).filter((spec) => !containers.has(keyOf(namespace, name, text(spec.name))));
    if (wanted.length === 0) return;
    void Promise.all(wanted.map((spec) => begin(object, spec))).then(() => settle(namespace, name));
  });

  return {
    container(namespace, pod, wanted) {
      const { object } = store.get(type, namespace, pod);
      const known = containersOf(object).map((spec) => text(spec.name));
      const name = wanted === '' && list(at(object, 'spec', 'containers')).length === 1 ? (known[0] ?? '') : wanted;
      if (name === '') {
        throw new KubeFailure(
          400,
          'BadRequest',
          `a container name must be specified for pod ${pod}, choose one of: [${known.join(' ')}]`,
        );
      }
      const found = containers.get(keyOf(namespace, pod, name));
      if (found === undefined)
        throw new KubeFailure(400, 'BadRequest', `container ${name} is not valid for pod ${pod}`);
      return found;
    },
    restart(namespace, pod, name) {
      const container = this.container(namespace, pod, name);
      container.previous = container.lines;
      container.lines = [];
      store.change(type, namespace, pod, (object) => {
        for (const status of list(at(object, 'status', 'containerStatuses')).map(record)) {
          if (status.name === container.name) status.restartCount = Number(status.restartCount) + 1;
        }
      });
    },
    stop() {
      stopWatching();
      for (const { process } of containers.values()) process?.kill();
    },
  };
}

function containersOf(pod: KubeObject): JsonRecord[] {
  const of = (key: string) => list(at(pod, 'spec', key)).map(record);
  return [...of('containers'), ...of('ephemeralContainers')];
}

function statusOf(pod: KubeObject, find: (name: string) => KubeContainer | undefined): JsonRecord {
  const old = record(pod.status);
  const started = text(old.startTime) || now();
  const rowOf = (spec: Json): JsonRecord => {
    const name = text(at(spec, 'name'));
    const code = find(name)?.exitCode;
    const before = list(old.containerStatuses).find((each) => at(each, 'name') === name);
    const state: JsonRecord =
      code === undefined
        ? { running: { startedAt: started } }
        : {
            terminated: {
              exitCode: code,
              reason: code === 0 ? 'Completed' : 'Error',
              startedAt: started,
              finishedAt: now(),
            },
          };
    return {
      name,
      image: text(at(spec, 'image')),
      imageID: '',
      containerID: `containerd://${name}`,
      ready: code === undefined,
      started: code === undefined,
      restartCount: at(before, 'restartCount') ?? 0,
      lastState: {},
      state,
    };
  };
  const rows = list(at(pod, 'spec', 'containers')).map(rowOf);
  const ephemeral = list(at(pod, 'spec', 'ephemeralContainers')).map(rowOf);
  const codes = rows.map(({ state }) => at(state, 'terminated', 'exitCode'));
  const isDone = codes.every((code) => code !== undefined);
  const phase = isDone ? (codes.every((code) => code === 0) ? 'Succeeded' : 'Failed') : 'Running';
  const condition = (kind: string) => ({ type: kind, status: isDone ? 'False' : 'True', lastTransitionTime: started });
  return {
    phase,
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
    hostIP: '127.0.0.1',
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    startTime: started,
    qosClass: 'BestEffort',
    containerStatuses: rows,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
  };
}
