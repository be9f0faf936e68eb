/** The way that was tried as a picture: who stands on it, how long each leg took, and where it stops. */
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { Mark } from '@gatehouse/design/mark';
import Cable from 'lucide-react/icons/cable';
import Check from 'lucide-react/icons/check';
import User from 'lucide-react/icons/user';
import X from 'lucide-react/icons/x';
import { Fragment } from 'react';
import { formatNumber } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './hop-picture.module.css';
import { type HopState, legsOf, stopOf } from './hop-places.ts';

/** What is at the end of the way. */
export interface TriedTarget {
  name: string;
  /** Its address, or whatever else tells it from others. */
  at: string;
  icon: IconComponent;
  /** The agent that dials; nothing where the gateway does. */
  agent?: string | undefined;
}

interface HopPictureProps {
  target: TriedTarget;
  said: ConnectionDiagnostic;
  clusterId: string;
}

export function HopPicture({ target: { name, at, icon, agent }, said, clusterId }: HopPictureProps) {
  const t = useTranslate();
  const hops = [
    { id: 'you', name: t('connection-steps.hop-you'), at: '', icon: User },
    { id: 'gateway', name: t('connection-steps.hop-gateway'), at: clusterId, icon: undefined },
    ...(agent === undefined ? [] : [{ id: 'agent', name: agent, at: t('connection-steps.hop-agent'), icon: Cable }]),
    { id: 'target', name: name || at, at: name === '' ? '' : at, icon },
  ];
  const stop = stopOf(said, hops.length);
  // It failed before the first step: there is no way to draw.
  if (stop === undefined) return null;
  const legs = legsOf(said, hops.length);
  const whole = hops.map((hop) => hop.name).join(', ');
  const words =
    stop === hops.length
      ? t('connection-steps.picture-works', { hops: whole })
      : t('connection-steps.picture-stops', { before: hops[stop - 1]?.name ?? '', at: hops[stop]?.name ?? '' });
  const stateOf = (index: number): HopState => (index < stop ? 'ok' : index === stop ? 'bad' : 'later');
  return (
    <div className={styles.frame}>
      <div className={styles.hops} role="img" aria-label={words} data-hops={hops.length}>
        {hops.map((hop, index) => (
          <Fragment key={hop.id}>
            {index > 0 && (
              <div className={styles.leg} data-state={stateOf(index)}>
                {legWords(t('connection-steps.stops-here'), legs[index - 1], stateOf(index))}
              </div>
            )}
            <div className={styles.hop} data-state={stateOf(index)}>
              <span className={styles.box}>
                {hop.icon ? <Icon of={hop.icon} size={20} /> : <Mark size={20} />}
                {stateOf(index) !== 'later' && (
                  <span className={styles.mark}>
                    <Icon of={stateOf(index) === 'ok' ? Check : X} size={12} />
                  </span>
                )}
              </span>
              <b>{hop.name}</b>
              <span className={styles.at}>{hop.at}</span>
            </div>
          </Fragment>
        ))}
      </div>
    </div>
  );

  function legWords(stops: string, ms: number | undefined, state: HopState): string {
    if (state === 'bad') return stops;
    return state === 'later' || ms === undefined ? '' : t('connection-steps.ms', { ms: formatNumber(ms) });
  }
}
