import type { ModelPrice, ModelUsage } from './port.ts';

/** UTF-8 bytes of a token, low: English has about 4 with the tokenizers of large models, JSON and code fewer. */
const BYTES_PER_TOKEN = 3.5;

/** US dollars of one step; null when the price is unknown. */
export function costOf(usage: ModelUsage, price: ModelPrice | null): number | null {
  if (price === null) return null;
  const plain = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const millionths =
    plain * price.input +
    usage.cacheRead * price.cacheRead +
    usage.cacheWrite * price.cacheWrite +
    usage.output * price.output;
  return millionths / 1_000_000;
}

/** A sum of costs in millionths of a US dollar, without the rest that additions of fractions leave. */
export function roundCost(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
}

/** Tokens that a text is likely to need, rather too many than too few. No model's tokenizer is asked. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
