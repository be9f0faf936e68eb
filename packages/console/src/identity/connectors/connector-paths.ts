/** Addresses of connectors and of their steps. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { PRESET, type PresetName } from './presets.ts';

/** In the order they are gone through. */
export const STEPS = ['there', 'settings', 'test', 'save'] as const;
export type Step = (typeof STEPS)[number];

export function connectorPath({ kind, name }: Pick<ConnectorItem, 'kind' | 'name'>, step?: Step): string {
  return `${pagePath('connector', { kind, name })}${step ? `?tab=${step}` : ''}`;
}

/** All of them, with one that was just made in sight. */
export function connectorsPath({ id }: Pick<ConnectorItem, 'id'>): string {
  return `${pagePath('connectors')}?made=${encodeURIComponent(id)}`;
}

export function newConnectorPath(preset: PresetName): string {
  const { kind } = PRESET[preset];
  return `${pagePath('newConnector', { kind })}${preset === kind ? '' : `?preset=${preset}`}`;
}
