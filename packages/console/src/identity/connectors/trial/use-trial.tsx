/** A test of a draft: opens the provider in a window and listens until it has said who came. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { type ConnectorTest, connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { openAhead, type WindowAhead } from '../../../platform/browser/window-ahead.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { triedText } from './tried-text.ts';

const ASK_EVERY_MS = 1_000;

export interface Trial {
  /** `asksWho`: whoever is signed in over there is not taken unasked. */
  begin: (text: string, asksWho: boolean) => void;
  isBeginning: boolean;
  /** Why it could not begin. */
  failure: string | undefined;
  /** What is known of the last one. */
  said: ConnectorTest | undefined;
  /** The text that was tested. */
  text: string | undefined;
  /** Where to go by hand, where the browser opened no window. */
  url: string | undefined;
  /** They are back at this page, and nothing has come of the other window: it may be closed. */
  isBack: boolean;
  /** Why nothing more is heard of it. */
  lost: unknown;
}

interface Begun {
  id: string;
  url: string;
  text: string;
  isOpen: boolean;
}

export function useTrial(kind: ConnectorKind): Trial {
  const t = useTranslate();
  const api = useApi();
  const attempt = useAttempt();
  const [begun, setBegun] = useState<Begun>();
  const opened = useRef<WindowAhead>(undefined);
  const [isBack, setBack] = useState(false);
  const {
    data: said,
    error,
    refetch,
  } = useQuery({
    queryKey: ['connector-test', begun?.id],
    queryFn: ({ signal }) => api(connectorTestRoutes.read, { params: { id: begun?.id ?? '' } }, signal),
    enabled: begun !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? ASK_EVERY_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
  const isOver = said !== undefined && said.state !== 'waiting';
  useEffect(() => {
    if (isOver) opened.current?.close();
  }, [isOver]);

  const isWaiting = begun?.isOpen === true && said?.state === 'waiting';
  // Whether it is closed cannot be read: led to another site, it is none of this page's windows any more. Who closes it comes back here.
  useEffect(() => {
    if (!isWaiting) return;
    let isGone = false;
    const look = async () => {
      const { data } = await refetch();
      if (!isGone && data?.state === 'waiting') setBack(true);
    };
    const onFocus = () => void look();
    window.addEventListener('focus', onFocus);
    return () => {
      isGone = true;
      window.removeEventListener('focus', onFocus);
    };
  }, [isWaiting, refetch]);

  const begin = (text: string, asksWho: boolean) => {
    opened.current?.close();
    const ahead = openAhead(t('connectors.window-waits'));
    opened.current = ahead;
    void attempt
      .run(async () => {
        const { id, url } = await api(connectorTestRoutes.begin, {
          body: { kind, content: triedText(kind, text), asksWho },
        });
        setBack(false);
        setBegun({ id, url, text, isOpen: ahead.isOpen() });
        ahead.leadTo(url);
      })
      .then((hasBegun) => hasBegun || ahead.close());
  };
  return {
    begin,
    isBeginning: attempt.isBusy,
    failure: attempt.failure?.message,
    said,
    text: begun?.text,
    url: begun && !begun.isOpen ? begun.url : undefined,
    isBack: isWaiting && isBack,
    lost: error ?? undefined,
  };
}
