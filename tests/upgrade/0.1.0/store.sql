SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.api_keys (
    id text NOT NULL,
    secret_sha256 text NOT NULL,
    label text NOT NULL,
    operations text,
    create_time_ms bigint NOT NULL,
    expire_time_ms bigint,
    revoke_time_ms bigint,
    CONSTRAINT api_keys_label_check CHECK ((length(label) >= 1)),
    CONSTRAINT api_keys_operations_not_empty CHECK ((operations <> ''::text)),
    CONSTRAINT api_keys_secret_sha256_check CHECK ((length(secret_sha256) = 64))
);
CREATE TABLE public.companies (
    name text NOT NULL,
    password_hash text NOT NULL,
    detection_score double precision,
    create_time_ms bigint NOT NULL,
    CONSTRAINT companies_detection_score CHECK (((detection_score >= (0)::double precision) AND (detection_score <= (1)::double precision))),
    CONSTRAINT companies_name CHECK ((((length(name) >= 1) AND (length(name) <= 64)) AND (name ~ '^[A-Za-z0-9._-]+$'::text))),
    CONSTRAINT companies_password_hash CHECK ((password_hash ~~ 'scrypt$%'::text))
);
CREATE TABLE public.knex_migrations (
    id integer NOT NULL,
    name character varying(255),
    batch integer,
    migration_time timestamp with time zone
);
CREATE SEQUENCE public.knex_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.knex_migrations_id_seq OWNED BY public.knex_migrations.id;
CREATE TABLE public.knex_migrations_lock (
    index integer NOT NULL,
    is_locked integer
);
CREATE SEQUENCE public.knex_migrations_lock_index_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.knex_migrations_lock_index_seq OWNED BY public.knex_migrations_lock.index;
ALTER TABLE ONLY public.knex_migrations ALTER COLUMN id SET DEFAULT nextval('public.knex_migrations_id_seq'::regclass);
ALTER TABLE ONLY public.knex_migrations_lock ALTER COLUMN index SET DEFAULT nextval('public.knex_migrations_lock_index_seq'::regclass);
INSERT INTO public.api_keys VALUES ('ia_vmpf3zx1k8m9', 'd28b0f9f9aed8924c797d2bbf91bbf5fc01961c422ac03c690b3968e11abb080', 'demo', NULL, 1795979845810, NULL, NULL);
INSERT INTO public.api_keys VALUES ('ia_yt9j8wy8t131', '360f0a6aae59ff35f448b9e4c547ed94c4cd8820421e79fb497ba5dfa17cce7d', 'meters', 'OPERATION_METER_READING', 1795979846366, NULL, NULL);
INSERT INTO public.api_keys VALUES ('ia_rshhkkfdk9x7', '461f65f1f34e25d432bc58d46fefbeabc3e89768cc7c3e0ea47589911216f77a', 'gone', NULL, 1795979846800, NULL, 1795979847333);
INSERT INTO public.companies VALUES ('demo', 'scrypt$15$8$1$GmauQBVP5oO3Rt2qj663Hg$bInaNknnHRIrVYx44m2KGsBxXvMcmU-cz_9C8Pk_asM', 0.75, 1795979845712);
INSERT INTO public.knex_migrations VALUES (1, '0001-create-api-keys-and-companies', 1, '2026-11-29 19:17:24.307+00');
INSERT INTO public.knex_migrations_lock VALUES (1, 0);
SELECT pg_catalog.setval('public.knex_migrations_id_seq', 1, true);
SELECT pg_catalog.setval('public.knex_migrations_lock_index_seq', 1, true);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.companies
    ADD CONSTRAINT companies_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.knex_migrations_lock
    ADD CONSTRAINT knex_migrations_lock_pkey PRIMARY KEY (index);
ALTER TABLE ONLY public.knex_migrations
    ADD CONSTRAINT knex_migrations_pkey PRIMARY KEY (id);
