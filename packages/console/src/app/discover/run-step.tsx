/** One command to run, in the form that is wanted, and beside it what happens there. */
import { isLoopbackHost } from '@gatehouse/contract/std/loopback-host';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Icon } from '@gatehouse/design/icon';
import { KeyHints } from '@gatehouse/design/key-hints';
import { Notice } from '@gatehouse/design/notice';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import { TextButton } from '@gatehouse/design/text-link';
import { useCopy } from '@gatehouse/design/use-copy';
import { useKey } from '@gatehouse/design/use-key';
import Check from 'lucide-react/icons/check';
import Clock from 'lucide-react/icons/clock';
import { useEffect, useRef, useState } from 'react';
import { useTime } from '../../platform/browser/use-time.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useSearch } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { parseDiscover } from '../../shared/enrolment/discover-place.ts';
import type { FlowCode, FlowJoining } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import type { JoinToken } from '../../shared/enrolment/join-token.ts';
import { keptCount, keptTokens } from '../../shared/enrolment/kept-parts.ts';
import { PublicAddress } from '../../shared/enrolment/public-address.tsx';
import { StepBody, StepFoot } from '../../shared/enrolment/step-parts.tsx';
import { LOOK_EVERY_MS, TimeLeft } from '../../shared/enrolment/time-left.tsx';
import { type CommandForm, commandAs, FORM_NOTES, formsFor } from './command-forms.ts';
import { JoinStory } from './join-story.tsx';
import { JoinedUnseen } from './joined-unseen.tsx';
import { useMadeToken } from './made-tokens.ts';
import { ReadScript } from './read-script.tsx';
import styles from './run-step.module.css';
import { useWaiting } from './use-waiting.ts';

export function RunStep({ code: { joining } }: { code: FlowCode }) {
  if (!joining) return null;
  return <Run joining={joining} />;
}

function Run({ joining }: { joining: FlowJoining }) {
  const t = useTranslate();
  const { kept, makeToken, isBusy, failure, next } = useFlow();
  const [{ token: named }] = useSearch(parseDiscover);
  const tokens = keptTokens(kept);
  const id = named ?? tokens[0]?.id;
  const token = useMadeToken(id);
  const count = keptCount(kept);
  const waiting = useWaiting(joining, id);
  const { joined } = waiting;
  const [first] = joined;
  const isWhole = count === undefined ? joined.length > 0 : joined.length >= count;
  // Who comes back here afterwards wants to look, and is not sent on again.
  const [wasThere] = useState(joined.length > 0);
  const goOn = () => next(joining.isTheThing ? first : undefined);
  const { cluster } = useOwnUser();
  const isLocal = cluster.publicURL === '' && isLoopbackHost(window.location.hostname);
  return (
    <>
      <StepBody
        title={t(`${joining.words}.run`)}
        lead={t(joining.lead ?? 'discover.run-lead')}
        aside={
          <JoinStory
            waiting={waiting}
            words={joining.words}
            count={count}
            onOn={isWhole && !wasThere ? goOn : undefined}
          />
        }
      >
        {joining.isTheThing && <JoinedUnseen heard={waiting.heard} joined={joined} />}
        {(isLocal || token?.warning !== undefined) && <PublicAddress warning={token?.warning} />}
        {token && joining.Before && <joining.Before token={token} />}
        {token ? (
          <Command joining={joining} token={token} />
        ) : (
          <Notice tone="info" announce="none" title={t('discover.run-shown-once')}>
            {t('discover.run-shown-once-text')}
            <div>
              <Button tone="primary" loading={isBusy} onClick={() => void makeToken()}>
                {t('discover.run-make')}
              </Button>
            </div>
          </Notice>
        )}
        {failure && <Notice tone="bad">{failure}</Notice>}
      </StepBody>
      <StepFoot>
        <Button tone="primary" disabled={joined.length === 0} onClick={goOn}>
          {t('discover.next')}
        </Button>
      </StepFoot>
    </>
  );
}

function Command({ joining, token }: { joining: FlowJoining; token: JoinToken }) {
  const t = useTranslate();
  const { kept, makeToken, isBusy } = useFlow();
  const [form, setForm] = useState<CommandForm>('shell');
  const time = useTime(LOOK_EVERY_MS);
  const { copy, state } = useCopy();
  const place = useRef<HTMLDivElement>(null);
  const end = Date.parse(token.expires);
  const forms = formsFor(joining.forms(kept));
  const shown = forms.includes(form) ? form : 'shell';
  const command = joining.command(token, kept);
  const text = commandAs(shown, command);
  const count = keptCount(kept);
  const note = FORM_NOTES[shown];
  useKey(['c', 'C'], () => void copy(text));
  // The button that made it is gone; the next thing anybody does is to copy.
  useEffect(() => place.current?.querySelector<HTMLElement>('[data-copies] button')?.focus(), []);
  const { Manual } = joining;
  const code = (
    <div data-copies="">
      <CodeBlock wrap label={t(`${joining.words}.command`)} code={text} />
    </div>
  );
  const again = (
    <TextButton disabled={isBusy} onClick={() => void makeToken()}>
      {t('joining.again')}
    </TextButton>
  );
  if (time > end) {
    return (
      <Notice tone="warn" title={t('joining.expired')}>
        {again}
      </Notice>
    );
  }
  return (
    <div ref={place} className={styles.command}>
      {forms.length > 0 ? (
        <Tabs
          label={t('discover.forms')}
          value={shown}
          onValueChange={setForm}
          tabs={forms.map((value) => ({ value, label: t(`discover.form-${value}`) }))}
        >
          {forms.map((value) => (
            <TabPanel key={value} value={value} className={styles.form}>
              {code}
            </TabPanel>
          ))}
        </Tabs>
      ) : (
        code
      )}
      {note && <p className={styles.works}>{t(note)}</p>}
      <div className={styles.meta}>
        <Icon of={Clock} size={14} />
        <p>
          <TimeLeft ms={end - time} /> ·{' '}
          {count === undefined ? t(`${joining.words}.works`) : t('discover.works-count', { count })} {again}
          <span role="status">{state === 'copied' ? ` ${t('discover.copied')}` : ''}</span>
        </p>
        <ReadScript command={command} />
      </div>
      <KeyHints hints={[{ keys: ['C'], word: t('discover.key-copy') }]} />
      {/* A form with words of its own does none of this on the machine. */}
      {note === undefined && (
        <section className={styles.does}>
          <h3>{t('discover.does')}</h3>
          <ul>
            {joining.does(kept).map((each) => (
              <li key={each}>
                <Icon of={Check} size={14} />
                {t(each)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {Manual && <Manual token={token} />}
    </div>
  );
}
