/** What every page stands in, public or private: the browser, the words of the design, the last catch. */
import { DesignWordsProvider } from '@gatehouse/design/words';
import type { ReactNode } from 'react';
import { type BrowserServices, BrowserServicesProvider } from '../platform/browser/browser-services.tsx';
import { useTranslate } from '../platform/i18n/words.ts';
import { ErrorBoundary } from './status/error-boundary.tsx';

export function ConsoleApp({ browser, children }: { browser: BrowserServices; children: ReactNode }) {
  return (
    <BrowserServicesProvider browser={browser}>
      <DesignWordsProvider words={useDesignWords()}>
        <ErrorBoundary>{children}</ErrorBoundary>
      </DesignWordsProvider>
    </BrowserServicesProvider>
  );
}

/** The words that components of the design say by themselves. */
function useDesignWords() {
  const t = useTranslate();
  return {
    close: t('common.close'),
    dismiss: t('common.dismiss'),
    copy: t('common.copy'),
    copied: t('common.copied'),
    copyFailed: t('common.copy-failed'),
    showPassword: t('common.show-password'),
    hidePassword: t('common.hide-password'),
    clear: t('common.clear'),
    loading: t('common.loading'),
    optional: t('common.optional'),
    notifications: t('common.notifications'),
    remove: (name: string) => t('common.remove', { name }),
    more: (count: number) => t('common.more', { count }),
    results: (count: number) => t('common.results', { count }),
    step: (number: number, count: number) => t('common.step', { number, count }),
  };
}
