/** The configuration in effect, key by key, with where each value came from. Secrets stay hidden. */
import { urlHost } from './address.ts';
import { formatSource } from './config-error.ts';
import type { LoadedConfig } from './load-config.ts';
import type { BucketConfig } from './recording-schema.ts';
import type { GatewayConfig } from './resolve.ts';

export interface ShownValue {
  key: string;
  /** Absent when the key is not set and has no default. */
  value?: string | number | boolean | string[];
  source: string;
}

export function shownConfig({ config, sources }: Pick<LoadedConfig, 'config' | 'sources'>): ShownValue[] {
  const values = valuesByKey(config);
  return Object.entries(sources).map(([key, source]) => ({ key, value: values[key], source: formatSource(source) }));
}

function valuesByKey(config: GatewayConfig): Record<string, ShownValue['value']> {
  const { tls } = config;
  return {
    dataDir: config.dataDir,
    listen: hostPort(config.listen),
    diagListen: config.diagListen && hostPort(config.diagListen),
    publicAddr: config.publicAddr?.origin,
    clusterName: config.clusterName,
    'storage.url': config.storage.url?.toString(),
    'tls.cert': tls.mode === 'files' ? tls.cert : undefined,
    'tls.key': tls.mode === 'files' ? tls.key : undefined,
    'tls.selfMade': tls.mode === 'self-made',
    'proxy.behind': config.proxy.behind,
    'proxy.trusted': config.proxy.trusted,
    'auth.secondFactor': config.auth.secondFactor,
    'auth.inactivityMinutes': config.auth.inactivityTimeoutMs / 60_000,
    'auth.connectorName': config.auth.connectorName,
    'auth.privateKeyPolicy': 'none',
    'ui.scrollbackLines': config.ui?.scrollbackLines,
    'ui.isDashboard': config.ui?.isDashboard,
    canJoinSessions: config.canJoinSessions,
    'nodes.backgroundChecks': config.nodes?.backgroundChecks,
    'ssh.listen': config.ssh?.listen && hostPort(config.ssh.listen),
    'ssh.publicAddr': config.ssh?.publicAddr && shownAddress(config.ssh.publicAddr),
    'databases.mysqlListen': config.databases?.mysqlListen && hostPort(config.databases.mysqlListen),
    'secrets.keyFile': config.secrets.keyFile,
    'secrets.key': config.secrets.key?.toString(),
    'audit.retentionDays': config.audit.retentionDays,
    'audit.strict': config.audit.strict,
    'audit.sinks': config.audit.sinks.map(({ name, type }) => `${name} (${type})`),
    'recordings.mode': config.recordings.mode,
    'recordings.store': config.recordings.store && bucketUrl(config.recordings.store),
    'recordings.retentionDays': config.recordings.retentionDays,
    'recordings.maxMegabytes': config.recordings.maxMegabytes,
    'recordings.maxSessionMegabytes': config.recordings.maxSessionMegabytes,
    'recordings.keepFreeMegabytes': config.recordings.keepFreeMegabytes,
    'aws.region': config.aws.region,
    'aws.stsEndpoint': config.aws.stsEndpoint,
    'aws.redshiftEndpoint': config.aws.redshiftEndpoint,
    'aws.joinEndpoint': config.aws.joinEndpoint,
    'aws.federationEndpoint': config.aws.federationEndpoint,
    'log.level': config.log.level,
    'log.format': config.log.format,
    drainSeconds: config.drainSeconds,
  };
}

function hostPort({ host, port }: { host: string; port: number }): string {
  return `${urlHost(host)}:${port}`;
}

function shownAddress({ host, port }: { host: string; port: number }): string {
  return port === 0 ? host : hostPort({ host, port });
}

function bucketUrl({ bucket, prefix, region, endpoint }: BucketConfig): string {
  return `s3://${bucket}/${prefix}?${new URLSearchParams({ ...(endpoint ? { endpoint } : {}), region })}`;
}
