/** `gatehouse secrets`: the key that protects what is stored encrypted. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { addCommand, addConfigFlags, addGroup, type CommandDeps, type Format, type Io, print } from '../command.ts';
import { Failure } from '../runtime/failure.ts';

type Options = Record<string, string> & { format: Format };

const ROTATE_FLAGS = ['config', 'dataDir', 'storageUrl'] as const;

export function addSecretsCommands(program: Command, { io, configFlags }: CommandDeps): void {
  const group = addGroup(program, {
    name: 'secrets',
    summary: 'Care for the key that protects stored secrets.',
    examples: ['gatehouse secrets rotate'],
  });

  const rotate = addCommand(group, {
    name: 'rotate',
    summary:
      'Make a new key and encrypt every stored secret with it, through the running gateway or, when none runs, directly.',
    examples: ['gatehouse secrets rotate', 'gatehouse secrets rotate --data-dir /var/lib/gatehouse --format json'],
  });
  addConfigFlags(rotate, configFlags, ROTATE_FLAGS).action(async ({ format, ...flags }: Options) => {
    const { rotation, shared } = await rotateSecrets(io, flags);
    const { keyId, resealed, unreadable } = rotation;
    const advice = shared ? 'Several gateways on one database: give every one of them this key now.\n' : '';
    print(io, format, rotation, `key ${keyId} is in use, ${resealed} stored secrets sealed with it\n${advice}`);
    if (unreadable > 0) {
      throw new Failure('failed', `${unreadable} stored secrets could not be opened; the old key was kept`, {
        ...rotation,
      });
    }
  });
}

async function rotateSecrets(io: Io, flags: Record<string, string>) {
  const [{ loadConfig }, { isGatewayRunning, localSend }] = await Promise.all([
    import('@gatehouse/gateway/platform/config/load-config'),
    import('@gatehouse/gateway/doors/local-socket/local-send'),
  ]);
  const { config } = loadConfig({ flags, env: io.env, cwd: io.cwd });
  const shared = config.storage.url !== undefined;
  // A running gateway holds the key in memory: rotated behind its back, it could not read what is sealed anew.
  if (await isGatewayRunning(config.dataDir))
    return { rotation: await rotateThrough(localSend(config.dataDir)), shared };

  const [{ openStorage }, { openSecretBox }, { rotateKey }, { createLog }] = await Promise.all([
    import('@gatehouse/gateway/platform/storage/open-storage'),
    import('@gatehouse/gateway/platform/secrets/open-secret-box'),
    import('@gatehouse/gateway/platform/secrets/rotate-key'),
    import('@gatehouse/gateway/platform/log/create-log'),
  ]);
  const log = createLog({ ...config.log, level: 'warn' });
  if (!existsSync(config.dataDir)) throw new Failure('notFound', `there is no data folder '${config.dataDir}'`);
  const url = config.storage.url?.reveal();
  const storage = await openStorage({ url, dataDir: config.dataDir, log, now: Date.now });
  try {
    const box = await openSecretBox(storage.db, { dataDir: config.dataDir, ...config.secrets, log });
    return { rotation: await rotateKey(storage.db, box, log), shared };
  } finally {
    await storage.close();
  }
}

async function rotateThrough(
  send: ReturnType<typeof import('@gatehouse/gateway/doors/local-socket/local-send').localSend>,
) {
  const [{ readError }, { ROTATE_SECRETS }, { z }] = await Promise.all([
    import('@gatehouse/contract/wire/client'),
    import('@gatehouse/gateway/doors/local-socket/local-operations'),
    import('zod'),
  ]);
  const received = await send({ method: 'POST', url: ROTATE_SECRETS });
  if (received.status !== 200) throw readError(received, ROTATE_SECRETS);
  const rotation = z.object({ keyId: z.string(), resealed: z.number(), unreadable: z.number() });
  return rotation.parse(JSON.parse(received.text));
}
