/**
 * Keeps a gateway from beginning anew where a store was lost. Beside the store lies a file that says whose it is: a store that
 * was emptied, cut off or exchanged is refused in words, because a new one would hand its administration to whoever starts it.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../std/replace-file.ts';
import { StartError } from '../std/start-error.ts';
import type { ClusterIdentity } from './cluster-identity.ts';

export const MARKER_FILE = 'cluster.json';
export const DATABASE_FILE = 'gatehouse.db';

const marker = z.object({
  /** Missing while the first start is under way: one that was killed then may go on. */
  clusterId: z.string().optional(),
  created: z.string().optional(),
  /** The inode of the database's file: another one is a copy. */
  file: z.number().optional(),
});

/** What only a gateway that has run leaves behind. The key stays where it is when a new cluster is begun: it opens the old one too. */
const TRACES = ['secrets.key', 'audit-signed', 'audit-queue', 'recordings', 'gateway-id', 'backups', DATABASE_FILE];
const SET_ASIDE = [
  ...TRACES.filter((name) => name !== 'secrets.key' && name !== 'backups'),
  `${DATABASE_FILE}-wal`,
  `${DATABASE_FILE}-shm`,
  MARKER_FILE,
];

/** What the operator says on the command line, after having been told. */
export interface StoreConsent {
  newCluster?: boolean | undefined;
  olderStore?: boolean | undefined;
}

export interface FoundStore {
  /** Undefined when the store holds nothing of ours. */
  clusterId: string | undefined;
  /** For messages: where the operator finds it. */
  place: string;
  /** The database's file, where it is one of this folder. */
  file?: {
    inode: number /** A gateway had it open when it was last written, and what it wrote last is not beside it. */;
    isCut: boolean;
  };
}

export interface StoreGuard {
  /** Before anything is written to the store. Throws what the operator should read. */
  admit(found: FoundStore): void;
  /** Once it is known who the store is. */
  opened(cluster: ClusterIdentity, inode?: number): void;
}

export function storeGuard(folder: string, consent: StoreConsent, now: () => number): StoreGuard {
  const file = join(folder, MARKER_FILE);
  return {
    admit(found) {
      const known = readMarker(file);
      if (found.clusterId === undefined) return admitEmpty(known, found);
      // In place it was closed by another program, which has taken in what was written last; a copy never had it.
      const isCutCopy = found.file?.isCut && found.file.inode !== known?.file;
      if (isCutCopy && !consent.olderStore) throw new StartError(cutWords(found));
      if (known?.clusterId !== undefined && known.clusterId !== found.clusterId) {
        throw new StartError(
          `${found.place} belongs to another cluster (${found.clusterId}) than the data folder '${folder}' (${known.clusterId}): ` +
            'start it with the data folder it was used with, or with an empty one and its key file',
        );
      }
    },
    opened({ clusterId, created }, inode) {
      const known = readMarker(file);
      if (known?.clusterId === clusterId && known.file === inode) return;
      const facts = {
        clusterId,
        created: new Date(created).toISOString(),
        ...(inode !== undefined && { file: inode }),
      };
      replaceFile(file, `${JSON.stringify(facts)}\n`);
    },
  };

  function admitEmpty(known: z.infer<typeof marker> | undefined, found: FoundStore): void {
    const traces = TRACES.filter((name) => isThere(join(folder, name)));
    const isBeginning = known !== undefined && known.clusterId === undefined;
    if (!isBeginning && (known !== undefined || traces.length > 0)) {
      if (!consent.newCluster) throw new StartError(emptyWords(found, known?.clusterId, traces));
      setAside();
    }
    if (!isBeginning) replaceFile(file, '{}\n');
  }

  function emptyWords({ place }: FoundStore, clusterId: string | undefined, traces: readonly string[]): string {
    const whose = clusterId === undefined ? '' : ` (cluster ${clusterId})`;
    const left = traces.filter((name) => name !== DATABASE_FILE).join(', ');
    const rest = left === '' ? '' : `, though '${folder}' holds ${left}`;
    return (
      `${place} is empty or missing${rest}${whose}: a gateway has run here, and its store is lost or was copied without its write-ahead log. ` +
      `Put the store back (${DATABASE_FILE} together with ${DATABASE_FILE}-wal, or a backup with: gatehouse restore). ` +
      'To begin a new cluster without it: gatehouse start --new-cluster, which puts aside what is left of the old one'
    );
  }

  function setAside(): void {
    const name = `before-${new Date(now()).toISOString().replaceAll(/[-:.]/g, '')}`;
    mkdirSync(join(folder, name), { mode: 0o700 });
    for (const old of SET_ASIDE) {
      if (statSync(join(folder, old), { throwIfNoEntry: false }))
        renameSync(join(folder, old), join(folder, name, old));
    }
  }
}

function cutWords({ place }: FoundStore): string {
  return (
    `${place} was copied while a gateway was using it, without ${DATABASE_FILE}-wal: what was written last is missing. ` +
    'Copy both files, or take a backup with: gatehouse backup. ' +
    'To go on with what is there, or if the copy is known to be whole: gatehouse start --accept-older-store'
  );
}

function readMarker(file: string): z.infer<typeof marker> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return marker.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartError(`'${file}' cannot be read: it says which cluster this folder belongs to; put it back`, {
      cause,
    });
  }
}

/** An empty folder is no trace: it may have been made for the gateway. */
function isThere(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (!found.isDirectory() || readdirSync(path).length > 0);
}
