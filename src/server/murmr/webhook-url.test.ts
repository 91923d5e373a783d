import { describe, expect, it } from 'vitest';
import { webhookProblem } from './webhook-url.ts';

const HTTPS = 'an https address';
const HOST = 'a host on the internet';
const start = 'https://example.com/';

describe('addresses of webhooks', () => {
  it.each([
    'https://yourapp.com/webhooks/tts',
    'https://hooks.example.com:8443/a?b=c',
    'https://93.184.216.34/',
    'https://172.32.0.1/',
    'https://[2606:2800:220:1::1]/',
    'https://mymurmr.dev/',
    start.padEnd(2048, 'x'),
  ])('%s is accepted', (address) => {
    expect(webhookProblem(address)).toBeNull();
  });

  it.each([
    ['', HTTPS],
    ['yourapp.com/hook', HTTPS],
    ['http://yourapp.com/hook', HTTPS],
    ['https://', HTTPS],
    ['https://localhost/', HOST],
    ['https://app.LOCALHOST./', HOST],
    ['https://intranet/', HOST],
    ['https://printer.local/', HOST],
    ['https://metadata.google.internal/', HOST],
    ['https://murmr.dev/', HOST],
    ['https://api.murmr.dev/hook', HOST],
    ['https://127.0.0.1/', HOST],
    ['https://2130706433/', HOST],
    ['https://0.0.0.0/', HOST],
    ['https://10.1.2.3/', HOST],
    ['https://172.16.0.1/', HOST],
    ['https://172.31.255.255/', HOST],
    ['https://192.168.1.1/', HOST],
    ['https://169.254.169.254/latest/meta-data', HOST],
    ['https://[::1]/', HOST],
    ['https://[::ffff:127.0.0.1]/', HOST],
    ['https://[::ffff:10.0.0.1]/', HOST],
    ['https://[fe80::1]/', HOST],
    ['https://[fd00::1]/', HOST],
    [start.padEnd(2049, 'x'), 'at most 2048 characters'],
  ])('%s is refused: %s', (address, expected) => {
    expect(webhookProblem(address)).toBe(expected);
  });
});
