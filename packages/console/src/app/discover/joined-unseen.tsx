/** A machine that joined under labels which no role of one's own takes: it would be waited for for ever. */

import { pagePath } from '@gatehouse/contract/console/pages';
import type { JoinProgress } from '@gatehouse/contract/reach/join-tokens/join-progress';
import { ButtonLink } from '@gatehouse/design/button-link';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { useEffect, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import type { JoinedThing } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';

interface JoinedUnseenProps {
  heard: readonly JoinProgress[];
  joined: readonly JoinedThing[];
}

/** A list hears of what was taken a moment later. */
const SHOWN_AFTER_MS = 5_000;

export function JoinedUnseen({ heard, joined }: JoinedUnseenProps) {
  const { kind } = useFlow();
  const seen = new Set(joined.map(({ name }) => name));
  const offered = heard.flatMap((progress) => progress.joined.flatMap(({ resources }) => resources));
  const unseen = offered.filter((each) => each.kind === kind && !seen.has(each.name)).map(({ name }) => name);
  // Another machine may be unseen for as long again.
  return unseen.length > 0 && <Unseen key={unseen.join(' ')} names={unseen} />;
}

function Unseen({ names }: { names: readonly string[] }) {
  const t = useTranslate();
  const { userName, userAcl, authType } = useOwnUser();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  const name = names.join(', ');
  const mayGive = userAcl.users.read && userAcl.users.edit;
  return (
    <Notice tone="warn" title={t('discover.unseen', { name })}>
      {t('discover.unseen-text')}
      {mayGive ? (
        <div>
          <ButtonLink href={`${pagePath('users')}?open=${encodeURIComponent(userName)}`}>
            {t('discover.open-user')}
          </ButtonLink>
        </div>
      ) : (
        <CopyField
          name={t(authType === 'local' ? 'discover.ask-whom' : 'discover.ask-provider')}
          value={t('discover.unseen-ask', { user: userName, name })}
        />
      )}
    </Notice>
  );
}
