/** `gatehouse backup` and `gatehouse restore`: take the store out while it is in use, and put it into an empty folder. */
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  addCommand,
  addConfigFlags,
  type CommandDeps,
  DATA_FOLDER_FLAGS,
  type Format,
  type Io,
  print,
} from '../command.ts';
import { Failure } from '../runtime/failure.ts';

interface BackupOptions {
  format: Format;
  recordings: boolean;
  withKeys?: boolean;
  config?: string;
  dataDir?: string;
}

interface RestoreOptions {
  format: Format;
  key?: string;
  dryRun?: boolean;
  config?: string;
  dataDir?: string;
}

const MEGABYTE = 1024 * 1024;

export function addBackupCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const backup = addCommand(program, {
    name: 'backup <folder>',
    summary: 'Copy the store and the recordings of this machine’s gateway into a new folder. It may run meanwhile.',
    examples: ['gatehouse backup /backups/monday', 'gatehouse backup /backups/monday --no-recordings'],
  });
  backup.option('--no-recordings', 'leave the recordings out, to copy them in another way');
  backup.option(
    '--with-keys',
    'also copy the master key and the gateway’s own certificates: whoever has that has everything',
  );
  addConfigFlags(backup, configFlags, DATA_FOLDER_FLAGS).action(async (to: string, options: BackupOptions) => {
    const { recordings: withRecordings, withKeys = false, format } = options;
    const config = await read(io, options);
    if (config.storage.url !== undefined) {
      throw new Failure(
        'usage',
        'the store is PostgreSQL: back it up with pg_dump, together with the key file and the recordings (docs/backup.md)',
      );
    }
    const { dataDir } = config;
    const [{ takeBackup }, { isGatewayRunning }] = await Promise.all([
      import('@gatehouse/gateway/evidence/backup/take-backup'),
      import('@gatehouse/gateway/doors/local-socket/local-send'),
    ]);
    const isRunning = await isGatewayRunning(dataDir);
    if (isRunning) await note(dataDir);
    const keyFile = config.secrets.key ? undefined : (config.secrets.keyFile ?? join(dataDir, 'secrets.key'));
    const folder = resolve(io.cwd, to);
    const told = await takeBackup({
      dataDir,
      to: folder,
      keyFile,
      isRunning,
      withRecordings,
      withKeys,
      now: Date.now(),
    });
    const { files, ...facts } = told;
    const recordings = files.filter(({ path }) => path.startsWith('recordings'));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const apart = [
      ...(told.hasKeys
        ? []
        : [
            `the master key ${told.keyId}${keyFile ? `, '${keyFile}'` : ''}: without it the secrets in the backup do not open`,
          ]),
      ...(withRecordings ? [] : ['the recordings']),
      ...(config.recordings.store ? ['recordings that are in the bucket'] : []),
      'gatehouse.yaml',
    ];
    print(
      io,
      format,
      { folder, ...facts, files: files.length, bytes, recordings: recordings.length, notInIt: apart },
      `The backup is in '${folder}': the store and ${recordings.length} files of recordings, ${(bytes / MEGABYTE).toFixed(1)} MB.\n` +
        `Not in it, keep it elsewhere:\n${apart.map((line) => `  ${line}\n`).join('')}`,
    );
  });

  const restore = addCommand(program, {
    name: 'restore <folder>',
    summary: 'Put a backup into an empty data folder. Every file is compared with its checksum first.',
    examples: [
      'gatehouse restore /backups/monday --data-dir /var/lib/gatehouse --key /safe/secrets.key',
      'gatehouse restore /backups/monday --data-dir /tmp/try --dry-run',
    ],
  });
  restore.option('--key <file>', 'the master key, when it is not in the backup');
  restore.option('--dry-run', 'only check the backup, the key and the folder');
  addConfigFlags(restore, configFlags, DATA_FOLDER_FLAGS).action(async (from: string, options: RestoreOptions) => {
    const { dataDir } = await read(io, options);
    const { restoreBackup } = await import('@gatehouse/gateway/evidence/backup/restore-backup');
    const isDry = options.dryRun ?? false;
    const keyFile = options.key === undefined ? undefined : resolve(io.cwd, options.key);
    const { told, hasKey } = await restoreBackup({ from: resolve(io.cwd, from), dataDir, keyFile, isDry });
    const { clusterId, made, version, keyId, files } = told;
    const done = isDry ? 'is whole and can be restored into' : 'was restored into';
    const key = hasKey ? '' : `Put the master key ${keyId} there as secrets.key before the start.\n`;
    print(
      io,
      options.format,
      { restored: !isDry, dataDir, clusterId, made, version, keyId, hasKey, files: files.length },
      `The backup of ${made} (cluster ${clusterId}, Gatehouse ${version}) ${done} '${dataDir}'.\n${key}`,
    );
  });
}

async function read(io: Io, { config, dataDir }: { config?: string; dataDir?: string }) {
  const { loadConfig } = await import('@gatehouse/gateway/platform/config/load-config');
  const flags = { ...(config === undefined ? {} : { config }), ...(dataDir === undefined ? {} : { dataDir }) };
  return loadConfig({ flags, env: io.env, cwd: io.cwd }).config;
}

/** Everything the gateway knows leaves it: that is in its log, and so in the backup itself. */
async function note(dataDir: string): Promise<void> {
  const [{ localSend }, { NOTE_BACKUP }, { readError }] = await Promise.all([
    import('@gatehouse/gateway/doors/local-socket/local-send'),
    import('@gatehouse/gateway/doors/local-socket/local-operations'),
    import('@gatehouse/contract/wire/client'),
  ]);
  const received = await localSend(dataDir)({ method: 'POST', url: NOTE_BACKUP });
  if (received.status !== 200) throw readError(received, NOTE_BACKUP);
}
