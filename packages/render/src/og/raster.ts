import type { Contour } from './font.ts';

/** Coverage of a shape: one byte a pixel, 255 = all of it. */
export interface Mask {
  /** Place of its left upper corner from the origin of the glyph, in pixels, y downwards. */
  left: number;
  top: number;
  width: number;
  height: number;
  coverage: Uint8Array;
}

interface Edge {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** Lines through each row of pixels. */
const LINES = 8;
/** Straight pieces of one curve. */
const PIECES = 8;

/** Fills an outline (non-zero winding) at `scale` pixels a unit. Coverage is exact along each of its lines. */
export function rasterize(contours: readonly Contour[], scale: number): Mask {
  const edges = contours.flatMap((contour) => edgesOf(contour, scale));
  const xs = edges.flatMap(({ x0, x1 }) => [x0, x1]);
  const ys = edges.flatMap(({ y0, y1 }) => [y0, y1]);
  const left = Math.floor(Math.min(0, ...xs));
  const top = Math.floor(Math.min(...ys, 0));
  const width = Math.max(0, Math.ceil(Math.max(0, ...xs)) - left);
  const height = Math.max(0, Math.ceil(Math.max(...ys, 0)) - top);
  const coverage = new Uint8Array(width * height);
  const row = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    row.fill(0);
    for (let line = 0; line < LINES; line++) {
      fillLine(edges, top + y + (line + 0.5) / LINES, left, row);
    }
    for (let x = 0; x < width; x++) coverage[y * width + x] = Math.round(((row[x] ?? 0) * 255) / LINES);
  }
  return { left, top, width, height, coverage };
}

/** Adds what one horizontal line covers of each pixel. */
function fillLine(edges: readonly Edge[], y: number, left: number, row: Float64Array): void {
  const crossings: { x: number; turn: number }[] = [];
  for (const { x0, y0, x1, y1 } of edges) {
    if (y0 <= y === y1 <= y) continue;
    crossings.push({ x: x0 + ((y - y0) * (x1 - x0)) / (y1 - y0) - left, turn: y0 < y1 ? 1 : -1 });
  }
  crossings.sort((a, b) => a.x - b.x);
  let winding = 0;
  for (const [index, { x, turn }] of crossings.entries()) {
    winding += turn;
    const next = crossings[index + 1];
    if (winding !== 0 && next !== undefined) fillSpan(row, x, next.x);
  }
}

function fillSpan(row: Float64Array, from: number, to: number): void {
  const first = Math.max(0, Math.floor(from));
  const last = Math.min(row.length - 1, Math.ceil(to) - 1);
  for (let x = first; x <= last; x++) {
    row[x] = (row[x] ?? 0) + Math.min(x + 1, to) - Math.max(x, from);
  }
}

/** Straight edges of a contour in pixels, y downwards. Between two points off the curve lies one on it. */
function edgesOf(contour: Contour, scale: number): Edge[] {
  const points: { x: number; y: number; onCurve: boolean }[] = [];
  for (const [index, point] of contour.entries()) {
    const before = contour.at(index - 1) ?? point;
    if (!point.onCurve && !before.onCurve) {
      points.push({ x: (before.x + point.x) / 2, y: (before.y + point.y) / 2, onCurve: true });
    }
    points.push(point);
  }
  const start = points.findIndex(({ onCurve }) => onCurve);
  if (start < 0) return [];
  const ring = [...points.slice(start), ...points.slice(0, start + 1)];
  const edges: Edge[] = [];
  let [x, y] = [(ring[0]?.x ?? 0) * scale, -(ring[0]?.y ?? 0) * scale];
  const lineTo = (x1: number, y1: number): void => {
    edges.push({ x0: x, y0: y, x1, y1 });
    [x, y] = [x1, y1];
  };
  for (let at = 1; at < ring.length; at++) {
    const point = ring[at];
    const next = ring[at + 1];
    if (point === undefined) break;
    if (point.onCurve || next === undefined) {
      lineTo(point.x * scale, -point.y * scale);
      continue;
    }
    const [fromX, fromY] = [x, y];
    for (let piece = 1; piece <= PIECES; piece++) {
      const t = piece / PIECES;
      const [a, b, c] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
      lineTo(
        a * fromX + b * point.x * scale + c * next.x * scale,
        a * fromY - b * point.y * scale - c * next.y * scale,
      );
    }
    at++;
  }
  return edges;
}
