/** What is said of the line to a database: a session there may wait for others, or be held by them. */
import { asSentence, withStop } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { LineBanner, LineNotice } from '../../../../shared/line/line-banner.tsx';
import type { BenchView } from '../bench/workbench.ts';

interface BenchBannerProps {
  view: Pick<BenchView, 'line' | 'ready' | 'flow'>;
  name: string;
  onAgain: () => void;
}

export function BenchBanner({ view: { line, ready, flow }, name, onAgain }: BenchBannerProps) {
  const t = useTranslate();
  const waits = flow && flow.flow !== 'live' && flow.needs.length > 0;
  const isTried = line.is === 'lost' && line.retryAt === undefined;
  return (
    <LineBanner
      // Who waits for others is not looking for the gateway any more.
      line={waits && isTried ? { is: 'connecting' } : line}
      name={name}
      page="databases"
      onAgain={onAgain}
      opening={
        waits &&
        t('workbench.waiting-for', {
          count: Math.max(...flow.needs.map(({ missing }) => missing)),
          names: flow.could.join(', ') || '–',
        })
      }
      lost={{ title: t('workbench.lost'), text: t(ready ? 'workbench.lost-text' : 'workbench.lost-opening') }}
      ended={{
        title: t('workbench.ended'),
        text: ({ cause, message }) => (
          <>
            {/* It begins with the name of a user, who is not written otherwise here. */}
            {cause === 'ended_by' ? withStop(message) : asSentence(message)} {t('workbench.ended-text')}
          </>
        ),
      }}
    >
      {flow && (
        <LineNotice tone="warn">
          {t('workbench.frozen')} {flow.could.length > 0 && t('workbench.could-come', { names: flow.could.join(', ') })}
        </LineNotice>
      )}
    </LineBanner>
  );
}
