import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { TokenInput } from './token-input.tsx';

afterEach(cleanup);

function Logins({ spaced = false }: { spaced?: boolean }) {
  const [value, setValue] = useState(['deploy']);
  return (
    <>
      <TokenInput label="Logins" spaced={spaced} value={value} onValueChange={setValue} />
      <output>{value.join(spaced ? '|' : ' ')}</output>
    </>
  );
}
const tokens = () => document.querySelector('output')?.textContent;

test('Enter and commas add words once, Backspace takes the last one back', async () => {
  render(<Logins />);
  const field = screen.getByLabelText('Logins');

  await userEvent.type(field, 'ubuntu,root{Enter}deploy{Enter}');
  expect(tokens()).toBe('deploy ubuntu root');
  await userEvent.type(field, '{Backspace}');

  expect(tokens()).toBe('deploy ubuntu');
});

test('pasted words come in one by one, and leaving the field keeps what was typed', async () => {
  render(<Logins />);
  await userEvent.click(screen.getByLabelText('Logins'));

  await userEvent.paste('a, b\nc');
  await userEvent.keyboard('d');
  await userEvent.tab();

  expect(tokens()).toBe('deploy a b c d');
});

test('where words may hold spaces, only a comma or Enter parts them', async () => {
  render(<Logins spaced />);
  await userEvent.type(screen.getByLabelText('Logins'), 'note=a very long one, env=prod{Enter}');
  await userEvent.paste('role=web server\nteam=blue');

  expect(tokens()).toBe('deploy|note=a very long one|env=prod|role=web server|team=blue');
});
