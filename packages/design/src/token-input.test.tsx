import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { TokenInput } from './token-input.tsx';

afterEach(cleanup);

function Logins() {
  const [value, setValue] = useState(['deploy']);
  return (
    <>
      <TokenInput label="Logins" value={value} onValueChange={setValue} />
      <output>{value.join(' ')}</output>
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
