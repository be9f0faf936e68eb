/** The configuration keys that have a flag. Kept free of imports so that `--help` stays quick. */

export interface ConfigFlag {
  /** As typed, with its argument: `--listen <host:port>`. */
  usage: string;
  /** The name under which a parsed command line holds it. */
  name: string;
  /** The key it sets; `undefined` for the file itself. */
  key: string | undefined;
  summary: string;
  /** The only values it takes, for completion. */
  choices?: readonly string[];
}

export const CONFIG_FLAGS = [
  flag(
    '--config <file>',
    'config',
    undefined,
    'configuration file (default: gatehouse.yaml in the data folder or here)',
  ),
  flag('--data-dir <folder>', 'dataDir', 'dataDir', 'folder for the database, keys and recordings'),
  flag('--listen <host:port>', 'listen', 'listen', 'where browsers and clients connect (default: 127.0.0.1:3080)'),
  flag('--diag-listen <host:port>', 'diagListen', 'diagListen', 'where /healthz, /readyz and /metrics are served'),
  flag('--public-addr <address>', 'publicAddr', 'publicAddr', 'the name people open, for example gate.example.com'),
  flag('--cluster-name <name>', 'clusterName', 'clusterName', 'name of this cluster (default: localhost)'),
  flag('--storage-url <url>', 'storageUrl', 'storage.url', 'PostgreSQL address; prefer GATEHOUSE_STORAGE_URL'),
  flag('--tls-cert <file>', 'tlsCert', 'tls.cert', 'certificate with its chain, PEM'),
  flag('--tls-key <file>', 'tlsKey', 'tls.key', 'private key of the certificate, PEM'),
  flag('--log-level <level>', 'logLevel', 'log.level', 'trace, debug, info, warn, error, fatal or silent', [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'fatal',
    'silent',
  ]),
  flag('--log-format <format>', 'logFormat', 'log.format', 'json or pretty', ['json', 'pretty']),
] as const satisfies readonly ConfigFlag[];

/** Values of the flags by name, as the command line gave them. */
export type FlagValues = Partial<Record<string, string>>;

export function flagSpelling({ usage }: ConfigFlag): string {
  return usage.split(' ')[0] ?? usage;
}

function flag(
  usage: string,
  name: string,
  key: string | undefined,
  summary: string,
  choices?: readonly string[],
): ConfigFlag {
  return { usage, name, key, summary, ...(choices ? { choices } : {}) };
}
