/** Tries the connection of a terminal that was not opened, step by step, in its place. */
import { Notice } from '@gatehouse/design/notice';
import { SpinnerRing } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { TestConnection } from '../../../kinds/node/panel/test-connection.tsx';
import { serverQuery } from '../../../kinds/node/server-queries.ts';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Pane } from '../workspace/tabs.ts';

/** Only `as` is tried: what was used before does not matter here. */
const NO_MEMORY = {};

export function ServerTest({ clusterId, server, login }: Pick<Pane, 'clusterId' | 'server' | 'login'>) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(serverQuery(api, clusterId, server));
  if (found.error) return <Notice tone="bad">{failureWords(t, found.error)}</Notice>;
  if (!found.data) return <SpinnerRing size="small" />;
  return <TestConnection node={found.data} memory={NO_MEMORY} as={login} />;
}
