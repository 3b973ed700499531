import * as z from 'zod';
import { parseModelFile } from '../../inference/models/manifest.js';

const share = z.number().min(0).max(1);

const cropSchema = z.object({
  /** Margins at both sides and above and below, in counter widths and heights. */
  mx: z.number(),
  my: z.number(),
  /** What width and height with their margins are multiplied by. */
  sx: z.number().positive(),
  sy: z.number().positive(),
  /** Shift down, in counter heights. */
  dy: z.number(),
});

const priorSchema = z.array(share).min(1);

const rulesSchema = z.object({
  /** Of the networks' inputs and outputs. */
  version: z.literal(2),
  /** Side of the square that the locator sees, pixels. */
  locateSize: z.int().positive(),
  /** Longer side of the picture that refiner and reader see, pixels. */
  maxSide: z.int().positive(),
  /** Counters looked at, at most. */
  candidates: z.int().positive(),
  /** Further candidates below this score are left out. */
  minLocateScore: share,
  /** So are those below this share of the best score. */
  relativeLocateScore: share,
  /** Two candidates nearer than this, in counter widths, are one. */
  sameCounterDistance: z.number().positive(),
  /** Right-to-left readings are tried only from this probability on, according to the refiner. */
  leastAgreement: share,
  /** Cuts of a counter that are read and averaged. */
  crops: z.tuple([cropSchema], cropSchema),
  /** Counters, each in one direction, that are read on all crops. */
  hypotheses: z.int().positive(),
  /** If the best one leads by more than this (log units), only it is. */
  clearLead: z.number(),
  /** Where the refiner starts again from, unless the best hypothesis is as sure as this on the first crop. */
  otherStarts: z.object({
    unless: z.object({ read: share, confidence: share }),
    /** The best candidate, so many times as wide. */
    scales: z.array(z.number().positive()),
    /** The whole picture, if it is at least so many times as wide as high. */
    wholeFrom: z.number().positive(),
  }),
  /** From these on, by the first crop, a single hypothesis is enough: the other crops are not read. */
  seenEnough: z.object({ read: share, confidence: share }),
  /** Exponents of what speaks for a hypothesis. */
  weights: z.object({
    read: z.number(),
    legible: z.number(),
    counter: z.number(),
    turn: z.number(),
    locate: z.number(),
    upright: z.number(),
  }),
  /** Exponent of what each wheel alone shows, where the readings of a place are compared. */
  aloneWeight: z.number(),
  /** How sharply a counter is expected to be read from left to right. */
  uprightSteepness: z.number(),
  /** Readings with fewer wheels are discarded. */
  minDigits: z.int().positive(),
  /** Another digit at a wheel is tried from this probability on. */
  substitutionFloor: share,
  /** From this probability on, a reading one step away is an alternative. */
  alternativeFloor: share,
  /** Minimum probability of the point's position to set it. */
  fractionLikely: share,
  /** The same, to rely on it. */
  fractionSure: share,
  /** How far what is usual is trusted, where no mark tells the fraction. */
  usualTrust: share,
  /** Probability by the reader's colours alone below which the point's position is not relied on, whatever is marked. */
  leastByColour: share,
  /** A point before more wheels than this is not relied on, unless the caller knows it. */
  mostDecimals: z.int(),
  /** From this probability on, of a wheel and of its digit, what is two places before the first wheel is one too. */
  seenBefore: share,
  /** How the mark network's cells exceed a wheel, in widths and heights of it. */
  cell: z.object({ mx: z.number(), my: z.number() }),
  /** More of their median distance than this between two wheels leaves room for another. */
  maxGap: z.number().min(1),
  /** Digits that the strips give less than this, those a step away included, are at most as sure as their share of it. */
  fullProbability: share.positive(),
  /** Logistic model of the confidence that the digits are right. */
  calibration: z.object({
    bias: z.number(),
    read: z.number(),
    legible: z.number(),
    locate: z.number(),
    margin: z.number(),
    wheels: z.number(),
  }),
  /** The same of the confidence that the point is right, by the probability of its position. */
  fractionCalibration: z.object({ bias: z.number(), length: z.number() }),
  /** From this confidence on a reading can be used as it is, unless the operator wants another. */
  okConfidence: share,
  /** Below either of these, the photo is refused with NO_READING. */
  refuse: z.object({ legible: share, confidence: share }),
  /** By the number of wheels (or `other`): how usual 0, 1, 2, … fraction wheels are. */
  fractionPrior: z.object({ other: priorSchema }).catchall(priorSchema),
});

/** Weights and thresholds for the networks' outputs, fitted together with them. */
export type ReaderRules = z.infer<typeof rulesSchema>;
/** How a counter is cut out, relative to its corners. */
export type Crop = z.infer<typeof cropSchema>;

/** Validates rules. @throws Error that names every mistake */
export function parseReaderRules(value: unknown): ReaderRules {
  return parseModelFile(rulesSchema, value, 'the rules of the meter reader');
}
