/** The steps by which something joins, whatever it is: say what it is, run the command, and wait until it is there. */
import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { isLoopbackHost } from '@gatehouse/contract/std/loopback-host';
import { Notice } from '@gatehouse/design/notice';
import { StatusDot } from '@gatehouse/design/status-dot';
import { Fragment, type ReactNode } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useKinds } from '../kinds/kinds-context.tsx';
import type { ResourceKind } from '../resource-list/resource-kind.ts';
import { useJoined } from '../resource-list/resource-queries.ts';
import { JoinCommand } from './join-command.tsx';
import type { JoinToken } from './join-token.ts';
import type { JoinWords } from './join-words.ts';
import styles from './joining.module.css';
import { OnItsWay } from './on-its-way.tsx';
import { PublicAddress } from './public-address.tsx';

interface JoinStepsProps<T> {
  list: ResourceKind<T>;
  words: JoinWords;
  clusterId: string;
  /** Says what it is, and makes the token. */
  form: ReactNode;
  token: JoinToken | undefined;
  onAgain: () => void;
  /** The token's command, in the way that was chosen. */
  command: string;
  /** The ways without it. */
  manual?: ReactNode;
  nameOf: (joined: T) => string;
  /** What to do with one that has joined. */
  next: (joined: T) => ReactNode;
}

export function JoinSteps<T>(props: JoinStepsProps<T>) {
  const { words, form, token } = props;
  const t = useTranslate();
  const { cluster } = useUser();
  const isLocal = cluster.publicURL === '' && isLoopbackHost(window.location.hostname);
  const warning = token?.warning;
  return (
    <>
      {(isLocal || warning !== undefined) && <PublicAddress warning={warning} />}
      <ol className={styles.steps}>
        <li className={styles.step} data-done={token ? '' : undefined}>
          <h3 className={styles.heading}>{t('joining.what')}</h3>
          {form}
        </li>
        {token ? (
          <TokenSteps {...props} token={token} />
        ) : (
          <>
            <li className={styles.step} data-off="">
              <h3 className={styles.heading}>{t(`${words}.run`)}</h3>
              <p className={styles.lead}>{t('joining.run-later')}</p>
            </li>
            <li className={styles.step} data-off="">
              <h3 className={styles.heading}>{t('joining.join')}</h3>
              <p className={styles.lead}>{t('joining.join-later')}</p>
            </li>
          </>
        )}
      </ol>
      {token?.resourceId === '' && <Notice tone="warn">{t('joining.not-watched')}</Notice>}
    </>
  );
}

function TokenSteps<T>(props: JoinStepsProps<T> & { token: JoinToken }) {
  const { list, words, clusterId, token, onAgain, command, manual } = props;
  const t = useTranslate();
  const joined = useJoined(list, clusterId, RESOURCE_ID_LABEL, token.resourceId).data ?? [];
  const done = joined.length > 0 ? '' : undefined;
  return (
    <>
      <li className={styles.step} data-done={done}>
        <h3 className={styles.heading}>{t(`${words}.run`)}</h3>
        <JoinCommand words={words} command={command} expires={token.expires} onAgain={onAgain}>
          {manual}
        </JoinCommand>
      </li>
      <li className={styles.step} data-done={done}>
        <h3 className={styles.heading}>{t('joining.join')}</h3>
        <Joined {...props} joined={joined} />
      </li>
    </>
  );
}

/** Those that joined with the token, and what to do with them. */
function Joined<T>({ list, words, nameOf, next, joined }: JoinStepsProps<T> & { joined: readonly T[] }) {
  const t = useTranslate();
  const { icon } = useKinds()[list.kind];
  return (
    <div className={styles.joined}>
      <div role="status">
        {joined.length === 0 && <OnItsWay icon={icon} title={t('joining.waiting')} text={t(`${words}.waiting-text`)} />}
        {joined.map((each) => (
          <div key={list.rowKey(each)} className={styles.joinedRow}>
            <StatusDot state="ok">{t('joining.joined', { name: nameOf(each) })}</StatusDot>
          </div>
        ))}
      </div>
      {joined.length > 0 && (
        <div className={styles.joinedEnds}>
          {joined.map((each) => (
            <Fragment key={list.rowKey(each)}>{next(each)}</Fragment>
          ))}
        </div>
      )}
    </div>
  );
}
