/** What is told about the machine an agent runs on. */
import { readFileSync } from 'node:fs';
import { arch, hostname, release, type } from 'node:os';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import { VERSION } from '@gatehouse/contract/std/version';
import type { KnownAs } from '../agent-kind.ts';
import { nameFrom } from './machine-name.ts';

export interface Described extends KnownAs {
  /** Logins it starts shells for; undefined: any. */
  logins: readonly string[] | undefined;
}

export function describeMachine({ agentId, name, labels, logins }: Described): ReportedResource {
  return {
    kind: 'node',
    id: agentId,
    name,
    labels,
    spec: {
      type: 'agent',
      hostname: nameFrom(hostname()),
      os: systemName().slice(0, 128),
      arch: arch(),
      version: VERSION,
      ...(logins ? { logins: [...logins] } : {}),
    },
  };
}

/** As distributions call themselves, os-release(5); the kernel where they do not say. */
function systemName(): string {
  for (const file of ['/etc/os-release', '/usr/lib/os-release']) {
    try {
      const name = /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(readFileSync(file, 'utf8'))?.[1];
      if (name) return name;
    } catch {
      // The next one, or the kernel.
    }
  }
  return `${type()} ${release()}`;
}
