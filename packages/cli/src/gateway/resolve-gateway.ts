/** Finds the gateway a command means: the one that is named, the one on this machine, or the one signed in to. */
import type { Open, Send } from '@gatehouse/contract/wire/client';
import type { Command } from 'commander';
import { addConfigFlags, type ConfigFlags, DATA_FOLDER_FLAGS, type Format, type Io } from '../command.ts';
import { inCluster } from './in-cluster.ts';
import { localGateway } from './local-gateway.ts';
import { readProfile } from './profile.ts';
import { remoteGateway } from './remote-gateway.ts';

/** What `addGatewayFlags` reads. */
export interface WhichGateway {
  gateway?: string;
  /** A leaf of it. */
  cluster?: string;
  config?: string;
  dataDir?: string;
}

/** The same, with the format every command has. */
export interface GatewayOptions extends WhichGateway {
  format: Format;
}

export function addGatewayFlags(command: Command, configFlags: ConfigFlags): Command {
  command.option('--gateway <address>', 'the gateway, under your own sign-in; the one on this machine unless told');
  command.option('--cluster <name>', 'a leaf cluster of that gateway, under your own sign-in; its own unless told');
  return addConfigFlags(command, configFlags, DATA_FOLDER_FLAGS);
}

export async function anyGateway(io: Io, options: WhichGateway): Promise<Send> {
  return (await findGateway(io, options)).send;
}

export async function findGateway(io: Io, which: WhichGateway): Promise<{ send: Send; open: Open }> {
  // Whoever owns this machine is nobody in other clusters.
  if (which.cluster !== undefined) return inCluster(remoteGateway(io, which.gateway), which.cluster);
  return await ownCluster(io, which);
}

async function ownCluster(io: Io, { gateway, config, dataDir }: WhichGateway): Promise<{ send: Send; open: Open }> {
  if (gateway !== undefined || io.env.GATEHOUSE_ADDRESS) return remoteGateway(io, gateway);
  const flags = { ...(config === undefined ? {} : { config }), ...(dataDir === undefined ? {} : { dataDir }) };
  const local = await localGateway(io, flags);
  const isNamed = Object.keys(flags).length > 0;
  const signedIn = readProfile(io).current;
  if (isNamed || signedIn === undefined || (await isRunning(local.dataDir))) return local;
  return remoteGateway(io, signedIn);
}

/** A socket that belongs to somebody else is as good as none for somebody who is signed in. */
async function isRunning(dataDir: string): Promise<boolean> {
  const { isGatewayRunning } = await import('@gatehouse/gateway/doors/local-socket/local-send');
  return await isGatewayRunning(dataDir).catch(() => false);
}

export const CURRENT = { clusterId: '-current-' } as const;
