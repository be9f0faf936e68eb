/** What the text of a connector says about where its provider is. */
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';

const ADDRESS = /^\s*(?:issuer_url|endpoint_url|entity_descriptor_url|sso):\s*["']?(https?:\/\/[^\s"'#]+)/m;

/** Looked for, not read: a list of cards need not bring the reader of YAML along. */
export function providerHost({ content }: Pick<ConnectorItem, 'content'>): string | undefined {
  const address = ADDRESS.exec(content)?.[1];
  return address && URL.canParse(address) ? new URL(address).host : undefined;
}
