/** Begins to link an account: what is theirs of its keys, a proof here, then one at the provider, in a window of its own. */
import type { PageConfig } from '@gatehouse/contract/console/page-config';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { Button } from '@gatehouse/design/button';
import { providerIcon } from '@gatehouse/design/provider-icon';
import { type ReactNode, useCallback, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { openAt } from '../../platform/browser/window-ahead.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useProof } from '../../shared/credentials/use-proof.tsx';
import { OwnKeysDialog } from './own-keys-dialog.tsx';

type Provider = PageConfig['auth']['providers'][number];

export interface Linking {
  /** Asks first which keys are theirs. */
  begin: (provider: Provider) => void;
  isBeginning: boolean;
  /** The connector whose window is open. */
  name: string | undefined;
  shownName: string;
  /** Where to go by hand, where the browser opened no window. */
  url: string | undefined;
  stop: () => void;
  question: ReactNode;
}

export function useLinking(): Linking {
  const t = useTranslate();
  const api = useApi();
  const attempt = useAttempt();
  const [asked, setAsked] = useState<Provider>();
  const [isAsking, setAsking] = useState(false);
  const [begun, setBegun] = useState<{ provider: Provider; url: string | undefined }>();
  const stop = useCallback(() => setBegun(undefined), []);
  const shownName = asked?.displayName || asked?.name || '';
  const { withProof, question } = useProof({
    title: t('account.link-title', { name: shownName }),
    confirmWord: t('account.continue'),
  });
  const begin = (provider: Provider) => {
    setAsked(provider);
    setBegun(undefined);
    attempt.forget();
    setAsking(true);
  };
  const go = (provider: Provider, keep: string[]) => {
    void attempt.run(async () => {
      const { url } = await withProof(() => api(identityRoutes.linkOwn, { body: { connector: provider.name, keep } }));
      setAsking(false);
      // Only now: opened ahead, it would lie over the question for a proof, with nothing in it.
      setBegun({ provider, url: openAt(url) ? undefined : url });
    });
  };
  return {
    begin,
    isBeginning: attempt.isBusy,
    name: begun?.provider.name,
    shownName,
    url: begun?.url,
    stop,
    question: (
      <>
        {asked && isAsking && (
          <OwnKeysDialog
            connector={asked.name}
            name={shownName}
            isBusy={attempt.isBusy}
            failure={attempt.failure?.message}
            onClose={() => setAsking(false)}
            onContinue={(keep) => go(asked, keep)}
          />
        )}
        {question}
      </>
    ),
  };
}

export function LinkButtons({ providers, linking }: { providers: readonly Provider[]; linking: Linking }) {
  const t = useTranslate();
  return providers.map((provider) => (
    <Button
      key={provider.name}
      icon={providerIcon(provider)}
      disabled={linking.isBeginning}
      onClick={() => linking.begin(provider)}
    >
      {t('account.link', { name: provider.displayName || provider.name })}
    </Button>
  ));
}
