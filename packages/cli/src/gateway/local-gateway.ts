/** Finds the gateway that the command line means: the one running on the configured data folder of this machine. */
import type { Io } from '../command.ts';

export interface LocalGateway {
  dataDir: string;
  open: ReturnType<typeof import('@gatehouse/gateway/doors/local-socket/local-send').localOpen>;
  send: ReturnType<typeof import('@gatehouse/gateway/doors/local-socket/local-send').localSend>;
}

export async function localGateway(io: Io, flags: Record<string, string>): Promise<LocalGateway> {
  const [{ loadConfig }, { localOpen, localSend }] = await Promise.all([
    import('@gatehouse/gateway/platform/config/load-config'),
    import('@gatehouse/gateway/doors/local-socket/local-send'),
  ]);
  const { config } = loadConfig({ flags, env: io.env, cwd: io.cwd });
  return { dataDir: config.dataDir, send: localSend(config.dataDir), open: localOpen(config.dataDir) };
}
